// How many of something a server may bring about in a minute: what it sends is its choice, how much is ours.
import type { Clock } from "../../../base/clock.ts";
import { MINUTE_MS } from "../../../base/time_units.ts";

/** Counts, anew in each minute. */
export class MinuteBudget {
  readonly #clock: Clock;
  readonly #most: number;
  #since: number;
  #left: number;

  constructor(clock: Clock, most: number) {
    this.#clock = clock;
    this.#most = most;
    this.#since = clock.now();
    this.#left = most;
  }

  /** Takes one; returns how many are left. Below zero: it was one too many. */
  take(): number {
    const now = this.#clock.now();
    if (Math.abs(now - this.#since) >= MINUTE_MS) {
      this.#since = now;
      this.#left = this.#most;
    }
    return --this.#left;
  }
}
