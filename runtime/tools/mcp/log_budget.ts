// How many lines of the service log one server may write: what it says is its choice, how much is ours.
import type { Clock } from "../../clock.ts";

const LINES = 60;
const PERIOD_MS = 60_000;

/** Counts lines, anew in each minute. */
export class LogBudget {
  readonly #clock: Clock;
  #since: number;
  #lines = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#since = clock.now();
  }

  /** Whether one more line may be written. The last one is told apart: it should say so. */
  take(): "write" | "write last" | "drop" {
    const now = this.#clock.now();
    if (Math.abs(now - this.#since) >= PERIOD_MS) {
      this.#since = now;
      this.#lines = 0;
    }
    this.#lines++;
    if (this.#lines > LINES) return "drop";
    return this.#lines === LINES ? "write last" : "write";
  }
}
