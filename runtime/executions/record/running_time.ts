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
  take(): number {
    const now = this.#clock.now();
    const elapsed = Math.max(0, now - this.#since);
    this.#sinceBefore = this.#since;
    this.#since = now;
    return elapsed;
  }

  /** What was taken last was not stored: it counts with what comes. */
  putBack(): void {
    this.#since = this.#sinceBefore;
  }
}
