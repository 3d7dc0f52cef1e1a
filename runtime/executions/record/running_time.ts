// Measures the running time of an execution since the last stored value.
import { type Clock, monotonicNow } from "../../../base/clock.ts";

/**
 * A stopwatch that starts when it is created. Monotonic, so that a change of the wall clock is no running time. `ranMs` is
 * earlier running time that is not stored yet.
 */
export class RunningTime {
  readonly #clock: Clock;
  #since: number;
  #sinceBefore: number;

  constructor(clock: Clock, { ranMs = 0 } = {}) {
    this.#clock = clock;
    this.#since = this.#sinceBefore = monotonicNow(clock) - ranMs;
  }

  /** The milliseconds since the last take(). Never negative, also if the clock is not monotonic. */
  get elapsedMs(): number {
    return Math.max(0, monotonicNow(this.#clock) - this.#since);
  }

  /** Returns the elapsed milliseconds and restarts the stopwatch. */
  take(): number {
    const { elapsedMs } = this;
    this.#sinceBefore = this.#since;
    this.#since = monotonicNow(this.#clock);
    return elapsedMs;
  }

  /** Runs `work` without counting its duration. */
  async exclude<T>(work: () => Promise<T>): Promise<T> {
    const begun = monotonicNow(this.#clock);
    try {
      return await work();
    } finally {
      this.#since += Math.max(0, monotonicNow(this.#clock) - begun);
    }
  }

  /** Undoes the last take(), because its value was not stored. */
  undoTake(): void {
    this.#since = this.#sinceBefore;
  }
}
