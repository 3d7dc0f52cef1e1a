// Who waits until something is stored for an execution, on whichever machine.
import type { Clock } from "../../../base/clock.ts";
import { firstOf } from "../../../base/first_of.ts";

/** The waits of one process. */
export class ChangeWaits {
  readonly #waits = new Map<number, PromiseWithResolvers<void>>();

  /** Resolves with the next change, and after `ms` in any case. */
  async next(executionId: number, { clock, ms }: { clock: Clock; ms: number }): Promise<void> {
    const { promise } = this.#waits.getOrInsertComputed(
      executionId,
      () => Promise.withResolvers<void>(),
    );
    await firstOf(promise, { within: { clock, ms } });
  }

  changed(executionId: number): void {
    this.#waits.get(executionId)?.resolve();
    this.#waits.delete(executionId);
  }

  /** Anything may have changed. */
  allChanged(): void {
    for (const id of [...this.#waits.keys()]) this.changed(id);
  }
}
