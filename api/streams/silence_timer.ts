// Waits of many streams with one timer, because each waiting follower of an execution would otherwise keep a timer.
import { sleepUnlessAborted } from "../../base/bounded_wait.ts";
import { type Clock, NO_LONGER_NEEDED } from "../../base/clock.ts";

/** The wait of one stream. */
export interface StreamWait {
  /** The time at which the wait ends, in milliseconds of the clock. */
  readonly until: number;
  /** Ends the wait. The argument is true if the whole time has passed. */
  readonly end: (isOver: boolean) => void;
}

/** The timer of all open streams of a service. */
export class SilenceTimer {
  readonly #clock: Clock;
  readonly #waits = new Set<StreamWait>();
  #streams = 0;
  /** The running timer. It outlasts a wait that ends early, because most waits do. */
  #timer: { until: number; stop: AbortController } | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts an open stream until close(). The timer runs only while a stream is open. */
  open(): void {
    this.#streams++;
  }

  close(): void {
    if (--this.#streams > 0) return;
    this.#timer?.stop.abort(NO_LONGER_NEEDED);
    this.#timer = null;
  }

  /** Starts a wait of `ms` milliseconds. Calls `end` with true when they have passed, unless drop() comes first. */
  wait(ms: number, end: StreamWait["end"]): StreamWait {
    const wait: StreamWait = { until: this.#now() + ms, end };
    this.#waits.add(wait);
    if (this.#timer === null || this.#timer.until > wait.until) this.#start(wait.until);
    return wait;
  }

  /** Forgets a wait without ending it. */
  drop(wait: StreamWait): void {
    this.#waits.delete(wait);
  }

  #now(): number {
    return this.#clock.elapsed?.() ?? this.#clock.now();
  }

  async #start(until: number): Promise<void> {
    this.#timer?.stop.abort(NO_LONGER_NEEDED);
    const stop = new AbortController();
    this.#timer = { until, stop };
    if (!await sleepUnlessAborted(this.#clock, until - this.#now(), stop.signal)) return;
    this.#timer = null;
    const now = this.#now();
    let next = Infinity;
    for (const wait of this.#waits) {
      if (wait.until > now) next = Math.min(next, wait.until);
      else if (this.#waits.delete(wait)) wait.end(true);
    }
    if (this.#timer === null && next < Infinity) await this.#start(next);
  }
}
