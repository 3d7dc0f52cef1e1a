// The running time of an execution since it was last stored.
import type { Clock } from "../../../base/clock.ts";

/** A stopwatch that starts at its construction. `ranMs` is earlier running time that is not stored yet. */
export class RunningTime {
  readonly #clock: Clock;
  #since: number;
  #sinceBefore: number;

  constructor(clock: Clock, { ranMs = 0 } = {}) {
    this.#clock = clock;
    this.#since = this.#sinceBefore = clock.now() - ranMs;
  }

  /** Milliseconds since the last `take()`. A clock that was set back counts as no time. */
  get elapsedMs(): number {
    return Math.max(0, this.#clock.now() - this.#since);
  }

  /** Returns `elapsedMs` and restarts the stopwatch. */
  take(): number {
    const { elapsedMs } = this;
    this.#sinceBefore = this.#since;
    this.#since = this.#clock.now();
    return elapsedMs;
  }

  /** Runs `work` and does not count its time. */
  async exclude<T>(work: () => Promise<T>): Promise<T> {
    const begun = this.#clock.now();
    try {
      return await work();
    } finally {
      this.#since += Math.max(0, this.#clock.now() - begun);
    }
  }

  /** Undoes the last `take()`, because its time was not stored. */
  undoTake(): void {
    this.#since = this.#sinceBefore;
  }
}
