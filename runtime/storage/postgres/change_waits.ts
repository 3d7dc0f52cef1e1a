// Waits until an execution is changed by any node.
import { firstOf, type WaitLimits } from "../../../base/first_of.ts";

/** The waits of one node for changes of executions. */
export class ChangeWaits {
  readonly #waits = new Map<number, Set<() => void>>();

  /** Resolves at the next change of an execution, or at the time limit or abort signal in `limits`. */
  async next(executionId: number, limits: WaitLimits): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const waits = this.#waits.getOrInsertComputed(executionId, () => new Set());
    waits.add(resolve);
    try {
      await firstOf(promise, limits);
    } finally {
      waits.delete(resolve);
      if (waits.size === 0) this.#waits.delete(executionId);
    }
  }

  changed(executionId: number): void {
    for (const resolve of this.#waits.get(executionId) ?? []) resolve();
  }

  /** Resolves all waits. */
  wakeAll(): void {
    for (const id of this.#waits.keys()) this.changed(id);
  }
}
