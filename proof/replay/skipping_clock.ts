// A clock on which short waits end at once and advance the time. Long waits, which are time limits, take their real
// time.
import { type Clock, SystemClock } from "../../base/clock.ts";

/** Shorter waits are skipped: those between attempts. Starting or answering takes a process longer. */
const SKIPPED_MS = 5_000;
/** Polling loops wait no longer than this. */
const POLLED_MS = 500;

/** A clock that skips short waits. */
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
