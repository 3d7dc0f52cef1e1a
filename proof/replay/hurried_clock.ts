// A clock on which short waits are over at once: the time goes on by them. Long ones, which bound what may take too long, take
// as long as they say.
import { type Clock, SystemClock } from "../../base/clock.ts";

/** Waits shorter than this are skipped: those between attempts. What a process has to begin or to answer is longer. */
const SKIPPED_MS = 5_000;
/** Who polls waits no longer than this. */
const POLLED_MS = 500;

/** Time that hurries. */
export class HurriedClock implements Clock {
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
