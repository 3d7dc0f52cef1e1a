// A clock with the time of the database. All nodes use it, because their own clocks may differ.
import { type Clock, SystemClock } from "../../../base/clock.ts";

/** The minimum correction of the time, in milliseconds. Smaller differences are ignored, so that the time seldom jumps. */
const TOLERANCE_MS = 50;
/** If the machine's clock loses more than this against the monotonic clock, it was set back. */
const SET_BACK_MS = 1_000;

/** The machine's clock, corrected by its difference to the database's clock. */
export class DatabaseClock implements Clock {
  readonly #system = new SystemClock();
  #aheadMs = 0;
  /** The difference between the machine's clock and its monotonic clock at the last reading, in milliseconds. */
  #drift = -Infinity;

  now(): number {
    const now = this.#system.now();
    const drift = now - this.#system.elapsed();
    // The machine's clock was set back, so its difference to the database's clock has grown.
    if (drift < this.#drift - SET_BACK_MS) this.#aheadMs += this.#drift - drift;
    this.#drift = drift;
    return now + this.#aheadMs;
  }

  elapsed(): number {
    return this.#system.elapsed();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#system.sleep(ms, signal);
  }

  /** Reads the database's time with `askTime` (milliseconds since the epoch), and adjusts this clock to it. */
  async set(askTime: () => Promise<number>): Promise<void> {
    this.now();
    const asked = this.#system.now();
    const time = await askTime();
    const answered = this.#system.now();
    const aheadMs = time - (asked + answered) / 2;
    if (Math.abs(aheadMs - this.#aheadMs) > TOLERANCE_MS + (answered - asked)) {
      this.#aheadMs = Math.round(aheadMs);
    }
  }
}
