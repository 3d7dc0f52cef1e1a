// A clock that skips short waits by moving its time forward. Long waits, which are time limits, last their real time.
import { type Clock, SystemClock } from "../../base/clock.ts";

/** Waits below this length are delays between attempts and are skipped. Longer waits are time limits of processes. */
const SKIPPED_MS = 5_000;
/** Waits up to this length belong to polling loops and are not skipped. */
const POLLED_MS = 500;

/** A clock that returns from waits between POLLED_MS and SKIPPED_MS at once and counts their time as passed. */
export class SkippingClock implements Clock {
  readonly #system = new SystemClock();
  #ahead = 0;

  now(): number {
    return this.#system.now() + this.#ahead;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const isSkipped = ms > POLLED_MS && ms < SKIPPED_MS;
    await this.#system.sleep(isSkipped ? 1 : ms, signal);
    if (isSkipped) this.#ahead += ms;
  }
}
