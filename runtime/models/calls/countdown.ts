// A time limit of a model call that counts only a part of the time.
import { sleepUnlessAborted } from "../../../base/bounded_wait.ts";
import { type Clock, monotonicNow, NO_LONGER_NEEDED } from "../../../base/clock.ts";

/** The limit of a countdown. */
export interface CountdownOptions {
  clock: Clock;
  limitMs: number;
  /** Creates the reason with which the signal aborts. */
  reason: () => Error;
}

/** Counts time between resume() and pause(), and aborts its signal when the limit is reached. */
export class Countdown {
  readonly #options: CountdownOptions;
  readonly #over = new AbortController();
  readonly #ended = new AbortController();
  /** The milliseconds that were counted before the last resume(). */
  #counted = 0;
  #countsSince: number | undefined;
  #watching: Promise<void> | undefined;

  constructor(options: CountdownOptions) {
    this.#options = options;
  }

  /** A signal that aborts when the limit is reached. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** The milliseconds that may still be counted until the limit is reached. */
  get leftMs(): number {
    const { clock, limitMs } = this.#options;
    const since = this.#countsSince;
    return limitMs - this.#counted - (since === undefined ? 0 : monotonicNow(clock) - since);
  }

  /** Stops counting. `forget`: the counted time no longer counts either. */
  pause({ forget = false } = {}): void {
    this.#counted = forget ? 0 : this.#options.limitMs - this.leftMs;
    this.#countsSince = undefined;
  }

  /** Continues counting. */
  resume(): void {
    this.#countsSince ??= monotonicNow(this.#options.clock);
    this.#watching ??= this.#watch();
  }

  /** Ends the countdown without an abort. Resolves when its timer has stopped. */
  async end(): Promise<void> {
    this.#ended.abort(NO_LONGER_NEEDED);
    await this.#watching;
  }

  async #watch(): Promise<void> {
    const { clock, reason } = this.#options;
    while (this.leftMs > 0) {
      if (!await sleepUnlessAborted(clock, this.leftMs, this.#ended.signal)) return;
      if (this.#countsSince === undefined) {
        // The next resume() watches again.
        this.#watching = undefined;
        return;
      }
    }
    this.#over.abort(reason());
  }
}
