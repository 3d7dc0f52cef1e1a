// Who follows which execution now, so that its end is told on the service's stream after it was told to them.
import { sleepUnlessAborted } from "../../base/bounded_wait.ts";
import type { Clock } from "../../base/clock.ts";
import { firstOf } from "../../base/first_of.ts";

/** How long the end of an execution waits at most for those who follow it. */
export const FOLLOWERS_FIRST_MS = 250;
/** How long what was handed to a follower's connection may take to be read, before the other stream's is. */
export const READING_MS = 10;

interface Following {
  count: number;
  readonly noneLeft: PromiseWithResolvers<void>;
}

/** The open followers of executions. */
export class Followers {
  readonly #following = new Map<number, Following>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a follower until the returned function is called for the first time. */
  came(executionId: number): () => void {
    const following = this.#of(executionId);
    following.count++;
    let isHere = true;
    return () => {
      if (!isHere) return;
      isHere = false;
      following.count--;
      if (following.count > 0) return;
      this.#following.delete(executionId);
      following.noneLeft.resolve();
    };
  }

  /**
   * For an execution that has ended: resolves when all who follow it have left, after FOLLOWERS_FIRST_MS at the latest, or
   * when the signal aborts. Undefined where there is nothing to wait for. Decision: after a run shorter than that it waits
   * for the first follower as well, because whoever started it has hardly had the time to follow.
   */
  untilLeft(
    { executionId, durationMs }: { executionId: number; durationMs: number | null },
    signal: AbortSignal,
  ): Promise<void> | undefined {
    const isShort = durationMs !== null && durationMs < FOLLOWERS_FIRST_MS;
    if (!isShort && !this.#following.has(executionId)) return undefined;
    return this.#wait(executionId, signal);
  }

  async #wait(executionId: number, signal: AbortSignal): Promise<void> {
    const following = this.#of(executionId);
    const within = { clock: this.#clock, ms: FOLLOWERS_FIRST_MS };
    const read = following.noneLeft.promise.then(() =>
      sleepUnlessAborted(this.#clock, READING_MS, signal)
    );
    await firstOf(read, { within, signal });
    if (this.#following.get(executionId)?.count === 0) this.#following.delete(executionId);
  }

  #of(executionId: number): Following {
    const following = this.#following.get(executionId) ??
      { count: 0, noneLeft: Promise.withResolvers<void>() };
    this.#following.set(executionId, following);
    return following;
  }
}
