// The database's clock, on which all nodes agree even if their own clocks differ.
import { type Clock, SystemClock } from "../../../base/clock.ts";

/** Smaller corrections are ignored, so that the time does not jump needlessly. */
const TOLERANCE_MS = 50;
/** The machine's clock was set back if it lost more than this against its monotonic clock. */
const SET_BACK_MS = 1_000;

/** The machine's clock, corrected by its difference to the database's clock. */
export class DatabaseClock implements Clock {
  readonly #system = new SystemClock();
  #aheadMs = 0;
  /** The difference between the machine's wall clock and its monotonic clock at the last reading. */
  #drift = -Infinity;

  now(): number {
    const now = this.#system.now();
    const drift = now - this.#system.elapsed();
    // The machine's clock was set back; the database's clock was not.
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

  /** Reads the database's time and adjusts the clock to it. */
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
