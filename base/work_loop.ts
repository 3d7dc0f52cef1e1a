// A loop of repeated work: sleep until the work is due or somebody wakes the loop, do it, retry it after a failure.
import { backoffMs } from "./backoff.ts";
import { sleepUnlessAborted } from "./bounded_wait.ts";
import { type Clock, NO_LONGER_NEEDED } from "./clock.ts";

/** The parts of a loop. */
export interface WorkLoopParts {
  clock: Clock;
  /** Does the work. Returns the milliseconds until it is due again; undefined: not before the loop is woken. */
  work: () => Promise<number | undefined>;
  /** Called with the error of failed work. */
  failed: (error: unknown) => void;
  /** The delays before failed work is retried. */
  retry: { firstMs: number; longestMs: number };
}

/** Repeats one work, never twice at once. Holds no timer while the work is not due. */
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

  /** Aborts when the loop is closed. */
  get signal(): AbortSignal {
    return this.#closing.signal;
  }

  /** Does the work at once, or once more after the work in progress. */
  wake(): void {
    this.start();
    this.#waking.abort(NO_LONGER_NEEDED);
  }

  /** Starts the work if none is running or scheduled. Does not shorten a wait. */
  start(): void {
    if (this.signal.aborted) return;
    this.#isWoken = true;
    this.#running ??= Promise.resolve().then(() => this.#run());
  }

  /** Starts no more work. */
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
