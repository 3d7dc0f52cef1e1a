// A clock on which short waits are over at once: the time goes on by them. Long ones, which bound what may take too long, take
// as long as they say.
import { type Clock, SystemClock } from "../../base/clock.ts";

/** Waits up to so long are skipped: those between attempts. */
const SKIPPED_MS = 15_000;

/** Time that hurries. */
export class HurriedClock implements Clock {
  readonly #system = new SystemClock();
  #ahead = 0;

  now(): number {
    return this.#system.now() + this.#ahead;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    // What is polled for is not waited for.
    const isSkipped = ms >= 500 && ms <= SKIPPED_MS;
    await this.#system.sleep(isSkipped ? 1 : ms, signal);
    if (isSkipped) this.#ahead += ms;
  }
}
