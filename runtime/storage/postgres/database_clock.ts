// The time of the database: machines that share one must agree on it, whatever their own clocks say.
import { type Clock, SystemClock } from "../../../base/clock.ts";

/** A clock that is set by less than this is left: time should not jump for nothing. */
const TOLERANCE_MS = 50;
/** The machine's clock was set back where it lost more than this against its monotonic clock. */
const SET_BACK_MS = 1_000;

/** The machine's clock, moved by what it differs from the database's. */
export class DatabaseClock implements Clock {
  readonly #system = new SystemClock();
  #aheadMs = 0;
  /** The difference between the machine's wall clock and its monotonic clock at the last reading. */
  #drift = -Infinity;

  now(): number {
    const now = this.#system.now();
    const drift = now - this.#system.elapsed();
    // The database's clock was not set with it.
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

  /** Asks the database for its time, and goes by it from then on. */
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
