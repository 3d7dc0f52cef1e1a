// Limits the number of a server's messages per minute.
import type { Clock } from "../../../base/clock.ts";
import { MINUTE_MS } from "../../../base/time_units.ts";

/** A counter that restarts every minute. */
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

  /** Counts one, and returns the rest. Negative: the limit is exceeded. */
  take(): number {
    const now = this.#clock.now();
    if (Math.abs(now - this.#since) >= MINUTE_MS) {
      this.#since = now;
      this.#left = this.#most;
    }
    return --this.#left;
  }
}
