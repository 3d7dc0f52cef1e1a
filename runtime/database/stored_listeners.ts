// Calls listeners after executions were changed and the change was committed.
import type { StoredChange } from "./operation.ts";

/** A function that receives a committed change of an execution. It must not throw. */
export type StoredListener = (executionId: number, stored: StoredChange) => void;

/** The listeners of one database. */
export class StoredListeners {
  readonly #listeners: StoredListener[] = [];

  add(listener: StoredListener): void {
    this.#listeners.push(listener);
  }

  /** Returns a function that reports a change to all listeners. Call the function after the commit. */
  reportOf(change: { executionId: number; stored?: StoredChange }): () => void {
    const { executionId, stored } = change;
    return () => {
      if (stored !== undefined) {
        for (const listen of this.#listeners) {
          listen(executionId, stored);
        }
      }
    };
  }
}
