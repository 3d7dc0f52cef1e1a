// The listeners to committed changes of executions, for the databases.
import type { StoredChange } from "./operation.ts";

/** Receives a committed change of an execution. Must not throw. */
export type StoredListener = (executionId: number, stored: StoredChange) => void;

/** The listeners of one database. */
export class StoredListeners {
  readonly #listeners: StoredListener[] = [];

  add(listener: StoredListener): void {
    this.#listeners.push(listener);
  }

  /** Returns a function that reports the change. Call it after the commit. */
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
