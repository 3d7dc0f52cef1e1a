// Counts the open followers of executions, so that the service's stream reports the end of an execution after its followers
// have received the last frame.
import { sleepUnlessAborted } from "../../base/bounded_wait.ts";
import type { Clock } from "../../base/clock.ts";
import { firstOf } from "../../base/first_of.ts";

/** The maximum milliseconds by which the service's stream delays the end of an execution. */
export const FOLLOWERS_FIRST_MS = 250;
/** The milliseconds for which clients can read the last frame before the service's stream reports the end. */
export const READING_MS = 25;

interface Following {
  count: number;
  /** True if the wait also lasts until at least one follower has received the last frame. */
  awaitsFirst: boolean;
  /** True if a follower has received the last frame. */
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

  /**
   * Counts a follower until the returned function is called. Its argument is true if the follower has received the last
   * frame. Further calls have no effect.
   */
  add(executionId: number): (isServed: boolean) => void {
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
   * Waits until all followers of an ended execution have left. Resolves after FOLLOWERS_FIRST_MS at the
   * latest, or when the signal aborts. Returns undefined if no wait is needed.
   *
   * Decision: for an execution that is shorter than FOLLOWERS_FIRST_MS, also waits until one follower has received the last
   * frame, because its client may still be connecting. A follower that leaves without that frame may come back.
   */
  waitUntilLeft(
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
