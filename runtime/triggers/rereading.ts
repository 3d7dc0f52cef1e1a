// Tries again what could not be read: soon at first, then more and more rarely.
import { sleepUnlessAborted } from "../bounded_wait.ts";
import type { Clock } from "../clock.ts";

const FIRST_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 60_000;

/** Attempts of which each waits twice as long as the one before, up to a minute. */
export class Rereading implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #attempt: () => Promise<boolean>;
  #nextWaitMs = FIRST_WAIT_MS;
  #attemptAt = 0;
  #sleep = new AbortController();
  #work: Promise<void> | undefined;
  #isOver = false;

  /** `attempt` returns whether there is anything left to do. It must not throw. */
  constructor(clock: Clock, attempt: () => Promise<boolean>) {
    this.#clock = clock;
    this.#attempt = attempt;
  }

  /** There is something new to do: it does not wait at the pace of what is old. */
  begin(): void {
    this.#nextWaitMs = FIRST_WAIT_MS;
    if (this.#attemptAt - this.#clock.now() > FIRST_WAIT_MS) this.#sleep.abort();
    this.#work ??= this.#goOn();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    this.#sleep.abort();
    await this.#work;
  }

  async #goOn(): Promise<void> {
    // Not before this is known as the one that does it.
    await Promise.resolve();
    while (!this.#isOver) {
      const waitMs = this.#nextWaitMs;
      this.#nextWaitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS);
      this.#attemptAt = this.#clock.now() + waitMs;
      this.#sleep = new AbortController();
      const { signal } = this.#sleep;
      await sleepUnlessAborted(this.#clock, waitMs, signal);
      // Aborted: the next attempt is to be sooner, or there is none.
      if (!signal.aborted && !await this.#attempt()) break;
    }
    this.#work = undefined;
  }
}
