// Who waits until something is stored for an execution, on whichever machine.
import { firstOf, type WaitLimits } from "../../../base/first_of.ts";

/** The waits of one process. */
export class ChangeWaits {
  readonly #waits = new Map<number, Set<() => void>>();

  /** Resolves with the next change, and at the limits in any case. */
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

  /** Anything may have changed. */
  allChanged(): void {
    for (const id of this.#waits.keys()) this.changed(id);
  }
}
