// The open followers of executions. The service's stream sends the end of an execution after its followers have got it.
import { sleepUnlessAborted } from "../../base/bounded_wait.ts";
import type { Clock } from "../../base/clock.ts";
import { firstOf } from "../../base/first_of.ts";

/** How long the end of an execution waits at most for its followers. */
export const FOLLOWERS_FIRST_MS = 250;
/** How long a client may take to read what its connection was given, before the service's stream sends the end. */
export const READING_MS = 25;

interface Following {
  count: number;
  /** Whether the wait is for a follower that gets the last frame, not only for those that are here. */
  awaitsFirst: boolean;
  /** Whether a follower has got the last frame. */
  isServed: boolean;
  readonly over: PromiseWithResolvers<void>;
}

/** The open followers of executions. */
export class Followers {
  readonly #following = new Map<number, Following>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a follower until the returned function is called for the first time, with whether it got the last frame. */
  came(executionId: number): (isServed: boolean) => void {
    const following = this.#of(executionId);
    following.count++;
    let isHere = true;
    return (isServed) => {
      if (!isHere) return;
      isHere = false;
      following.count--;
      following.isServed ||= isServed;
      const { count, awaitsFirst } = following;
      if (count > 0 || awaitsFirst && !following.isServed) return;
      this.#following.delete(executionId);
      following.over.resolve();
    };
  }

  /**
   * For an execution that has ended: resolves when all of its followers have left, after FOLLOWERS_FIRST_MS at the latest, or
   * when the signal aborts. Undefined where there is nothing to wait for. Decision: within FOLLOWERS_FIRST_MS of the run's
   * acceptance it waits for the first follower that gets the last frame, because the client that started so short a run
   * has hardly had the time to follow. A follower that leaves without the frame may come back.
   */
  untilLeft(
    { executionId, ageMs }: { executionId: number; ageMs: number },
    signal: AbortSignal,
  ): Promise<void> | undefined {
    const isFollowed = this.#following.has(executionId);
    const isShort = ageMs < FOLLOWERS_FIRST_MS;
    if (!isFollowed && !isShort) return undefined;
    const ms = isFollowed ? FOLLOWERS_FIRST_MS : FOLLOWERS_FIRST_MS - Math.max(0, ageMs);
    return this.#wait(executionId, { ms, isShort, signal });
  }

  async #wait(
    executionId: number,
    { ms, isShort, signal }: { ms: number; isShort: boolean; signal: AbortSignal },
  ): Promise<void> {
    const following = this.#of(executionId);
    following.awaitsFirst = isShort;
    const read = following.over.promise.then(() =>
      sleepUnlessAborted(this.#clock, READING_MS, signal)
    );
    await firstOf(read, { within: { clock: this.#clock, ms }, signal });
    following.awaitsFirst = false;
    if (following.count === 0 && this.#following.get(executionId) === following) {
      this.#following.delete(executionId);
    }
  }

  #of(executionId: number): Following {
    const following = this.#following.get(executionId) ?? {
      count: 0,
      awaitsFirst: false,
      isServed: false,
      over: Promise.withResolvers<void>(),
    };
    this.#following.set(executionId, following);
    return following;
  }
}
