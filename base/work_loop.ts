// Repeats work in a loop: sleeps until the work is due or the loop is woken, does the work, and retries it after a failure.
import { backoffMs } from "./backoff.ts";
import { sleepUnlessAborted } from "./bounded_wait.ts";
import { type Clock, NO_LONGER_NEEDED } from "./clock.ts";

/** The work of a loop and the handling of its failures. */
export interface WorkLoopParts {
  clock: Clock;
  /** Does the work. Returns the milliseconds until the work is due again, or undefined if only wake() makes it due. */
  work: () => Promise<number | undefined>;
  /** Called with the error when the work has failed. */
  failed: (error: unknown) => void;
  /** The first and the longest delay before failed work is retried. */
  retry: { firstMs: number; longestMs: number };
}

/** A loop that repeats its work, never twice in parallel. Has no timer while the work is not due. */
export class WorkLoop implements AsyncDisposable {
  readonly #parts: WorkLoopParts;
  readonly #closing = new AbortController();
  #waking = new AbortController();
  #isWoken = false;
  #failures = 0;
  #running: Promise<void> | undefined;

  constructor(parts: WorkLoopParts) {
    this.#parts = parts;
  }

  /** The signal that aborts when the loop is closed. */
  get signal(): AbortSignal {
    return this.#closing.signal;
  }

  /** Starts the work at once. If the work is in progress, does it once more after its end. */
  wake(): void {
    this.start();
    this.#waking.abort(NO_LONGER_NEEDED);
  }

  /** Starts the work if it is neither running nor scheduled. Does not shorten a wait. */
  start(): void {
    if (this.signal.aborted) return;
    this.#isWoken = true;
    this.#running ??= Promise.resolve().then(() => this.#run());
  }

  /** Closes the loop, so that no more work starts. */
  close(): void {
    this.#closing.abort(NO_LONGER_NEEDED);
    this.#waking.abort(NO_LONGER_NEEDED);
  }

  /** Closes the loop and waits for the work in progress. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.signal.aborted) {
      this.#isWoken = false;
      this.#waking = new AbortController();
      const ms = await this.#try();
      if (ms === undefined && !this.#isWoken) break;
      await sleepUnlessAborted(this.#parts.clock, Math.max(0, ms ?? 0), this.#waking.signal);
    }
    this.#running = undefined;
  }

  async #try(): Promise<number | undefined> {
    try {
      const ms = await this.#parts.work();
      this.#failures = 0;
      return ms;
    } catch (error) {
      this.#parts.failed(error);
      return backoffMs(++this.#failures, this.#parts.retry);
    }
  }
}
