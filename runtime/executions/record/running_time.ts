// How long an execution ran since its running time was last stored.
import type { Clock } from "../../../base/clock.ts";

/** Measures from its construction. `ranMs`: how long the execution ran before that, not stored yet. */
export class RunningTime {
  readonly #clock: Clock;
  #since: number;
  #sinceBefore: number;

  constructor(clock: Clock, { ranMs = 0 } = {}) {
    this.#clock = clock;
    this.#since = this.#sinceBefore = clock.now() - ranMs;
  }

  /** Milliseconds since they were last taken. A clock that was set back counts as no time. */
  get elapsedMs(): number {
    return Math.max(0, this.#clock.now() - this.#since);
  }

  /** The same, and measures from now on. */
  take(): number {
    const { elapsedMs } = this;
    this.#sinceBefore = this.#since;
    this.#since = this.#clock.now();
    return elapsedMs;
  }

  /** Leaves out of the time what `work` takes. */
  async without<T>(work: () => Promise<T>): Promise<T> {
    const begun = this.#clock.now();
    try {
      return await work();
    } finally {
      this.#since += Math.max(0, this.#clock.now() - begun);
    }
  }

  /** What was taken last was not stored: it counts with what comes. */
  putBack(): void {
    this.#since = this.#sinceBefore;
  }
}
