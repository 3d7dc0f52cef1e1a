// Detects a streamed reply that stops before its end, because a connection may die without an error.
import { sleepUnlessAborted } from "../../../base/bounded_wait.ts";
import { type Clock, NO_LONGER_NEEDED } from "../../../base/clock.ts";
import { ModelError } from "../model.ts";

/**
 * The maximum time between two deltas. Before the first delta only the timeout of the reply applies, because some models
 * send nothing for minutes while they think.
 */
export const STALL_MS = 120_000;

/**
 * Watches one stream. Counts only the time during which the reader waits for the stream, so that a slow reader is not
 * reported as a stall.
 */
export class StallDetector {
  readonly #clock: Clock;
  readonly #model: string;
  readonly #stalled = new AbortController();
  readonly #ended = new AbortController();
  #waitingSince: number | undefined;
  #watching: Promise<void> | undefined;

  constructor(options: { clock: Clock; model: string }) {
    this.#clock = options.clock;
    this.#model = options.model;
  }

  /** A signal that aborts with a retryable ModelError when the stream has stalled. */
  get signal(): AbortSignal {
    return this.#stalled.signal;
  }

  /** Pauses the timer, while the reader processes a delta. */
  pause(): void {
    this.#waitingSince = undefined;
  }

  /** Restarts the timer, when the reader waits for the next delta. */
  resume(): void {
    this.#waitingSince = this.#clock.now();
    this.#watching ??= this.#watch();
  }

  /** Stops the detector. Resolves when its timer has stopped. */
  async stop(): Promise<void> {
    this.#ended.abort(NO_LONGER_NEEDED);
    await this.#watching;
  }

  async #watch(): Promise<void> {
    const { signal } = this.#ended;
    for (;;) {
      const silence = this.#waitingSince === undefined ? 0 : this.#clock.now() - this.#waitingSince;
      if (silence >= STALL_MS) break;
      if (!await sleepUnlessAborted(this.#clock, STALL_MS - silence, signal)) return;
    }
    this.#stalled.abort(
      new ModelError(
        `${this.#model} stopped in the middle of its reply: nothing came for ${STALL_MS / 1_000}s`,
        { retryable: true },
      ),
    );
  }
}
