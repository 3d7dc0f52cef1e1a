// Notices a reply that began and then stops: connections die without notice, and no package times that out.
import { sleepUnlessAborted } from "../../base/bounded_wait.ts";
import { type Clock, NO_LONGER_NEEDED } from "../../base/clock.ts";
import { ModelError } from "./model.ts";

/**
 * The longest gap between two signs of life, in milliseconds. Before the first one only the reply's timeout counts:
 * models that think before they speak send nothing for minutes.
 */
export const STALL_MS = 120_000;

/** Watches one stream. Counts only while the stream is waited for, so that a slow reader is no stall. */
export class StallWatch {
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

  /** Aborts with a retryable ModelError when the stream has stalled. */
  get signal(): AbortSignal {
    return this.#stalled.signal;
  }

  /** A sign of life came; whoever reads is busy with it. */
  pause(): void {
    this.#waitingSince = undefined;
  }

  /** The next sign of life is waited for. */
  resume(): void {
    this.#waitingSince = this.#clock.now();
    this.#watching ??= this.#watch();
  }

  /** Ends the watch; nothing of it runs on afterwards. */
  async end(): Promise<void> {
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
