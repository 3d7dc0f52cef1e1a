// Counts events of an MCP server per minute.
import type { Clock } from "../../../base/clock.ts";
import { MINUTE_MS } from "../../../base/time_units.ts";

/** A limit of events per minute. The counter restarts every minute. */
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

  /**
   * Counts one event and returns the number of events that remain in this minute. A negative result means that the limit is
   * exceeded.
   */
  take(): number {
    const now = this.#clock.now();
    if (Math.abs(now - this.#since) >= MINUTE_MS) {
      this.#since = now;
      this.#left = this.#most;
    }
    return --this.#left;
  }
}
