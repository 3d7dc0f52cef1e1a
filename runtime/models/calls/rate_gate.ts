// Delays calls after a provider has asked for a pause. All calls of a model with the same key share one gate: they wait
// during the pause, and then continue in order of arrival. A pause for the whole account closes the gates of all models
// with the key.
import { sleepUnlessAborted } from "../../../base/bounded_wait.ts";
import { monotonicNow, NO_LONGER_NEEDED } from "../../../base/clock.ts";
import { formatDuration } from "../../../base/durations.ts";
import { MINUTE_MS } from "../../../base/time_units.ts";
import type { Context } from "../../config/context.ts";
import { WaitingLine } from "../fifo_semaphore.ts";
import type { ModelConnection } from "../providers/provider_model.ts";

/** The interval between the first two calls that continue after a pause, so that the provider can ask for another pause. */
const FIRST_INTERVAL_MS = 250;
/** The number of calls after which the interval is half as long, if the provider asks for no other pause. */
const CALLS_TO_HALVE = 4;
/** The maximum length of a pause. */
const LONGEST_PAUSE_MS = 15 * MINUTE_MS;

/**
 * The end of a pause. The earlier time counts, because the wall clock may be set back, and the monotonic clock may stop
 * while the machine sleeps.
 */
interface Pause {
  /** Milliseconds since the epoch. */
  until: number;
  /** Monotonic milliseconds. */
  untilElapsed: number;
}

const noPause = (): Pause => ({ until: -Infinity, untilElapsed: -Infinity });

/** The gate for the calls of one model with one key. */
export class RateGate {
  readonly #shared: Pick<Context, "clock" | "log">;
  readonly #line = new WaitingLine();
  readonly #ofModel = noPause();
  readonly #ofAccount: Pause;
  /** Aborts the sleep of the release loop when no call is waiting any more. */
  #idle = new AbortController();
  #isReleasing = false;

  /** Creates an open gate. `account` is the pause of the whole account, shared by all gates of the key. */
  constructor(shared: Pick<Context, "clock" | "log">, account = noPause()) {
    this.#shared = shared;
    this.#ofAccount = account;
  }

  /**
   * Returns the ticket of a new call: its position in the order of arrival. The call uses the ticket for all its attempts.
   */
  takeTicket(): number {
    return this.#line.takeTicket();
  }

  /** The remaining time of the pause in milliseconds; 0 without a pause. */
  get waitMs(): number {
    return Math.max(0, this.#leftOf(this.#ofModel), this.#leftOf(this.#ofAccount));
  }

  /** True if a new call has to wait. */
  get mustWait(): boolean {
    return this.#line.length > 0 || this.waitMs > 0;
  }

  /** Starts a pause of `ms` milliseconds, for the calls of this model or of the whole account. */
  pause(ms: number, model: string, { ofAccount = false } = {}): void {
    const pause = ofAccount ? this.#ofAccount : this.#ofModel;
    const leftMs = Math.min(ms, LONGEST_PAUSE_MS);
    if (leftMs <= this.#leftOf(pause)) return;
    pause.until = this.#shared.clock.now() + leftMs;
    pause.untilElapsed = monotonicNow(this.#shared.clock) + leftMs;
    const calls = ofAccount ? "all calls with its key" : "calls of this model";
    this.#shared.log.write("warn", `The provider asks for a pause: ${calls} wait`, {
      model,
      wait: formatDuration(ms),
    });
  }

  /**
   * Resolves when the call with this ticket may continue. Rejects with the signal's reason if the signal aborts during the
   * wait.
   */
  async waitForTurn(ticket: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.mustWait) return;
    const waiting = this.#line.wait(ticket, signal);
    if (!this.#isReleasing) void this.#release();
    try {
      await waiting;
    } finally {
      if (this.#line.length === 0) this.#idle.abort(NO_LONGER_NEEDED);
    }
  }

  #leftOf({ until, untilElapsed }: Pause): number {
    return Math.min(
      until - this.#shared.clock.now(),
      untilElapsed - monotonicNow(this.#shared.clock),
    );
  }

  async #release(): Promise<void> {
    this.#isReleasing = true;
    let admitted = 0;
    while (this.#line.length > 0) {
      if (this.waitMs > 0) {
        await this.#sleep(this.waitMs);
        // During the sleep another pause may have started, or the last waiting call may have been aborted.
        admitted = 0;
        continue;
      }
      this.#line.admitNext();
      const intervalMs = Math.round(FIRST_INTERVAL_MS / (1 + admitted++ / CALLS_TO_HALVE));
      if (this.#line.length > 0) await this.#sleep(intervalMs);
    }
    this.#isReleasing = false;
  }

  async #sleep(ms: number): Promise<void> {
    this.#idle = new AbortController();
    await sleepUnlessAborted(this.#shared.clock, ms, this.#idle.signal);
  }
}

/** The gates of all models and keys of a runtime. */
export class RateGates {
  readonly #shared: Pick<Context, "clock" | "log">;
  readonly #gates = new Map<string, RateGate>();
  readonly #accounts = new Map<string, Pause>();

  constructor(shared: Pick<Context, "clock" | "log">) {
    this.#shared = shared;
  }

  /** Returns the gate for a connection's address, key and model. */
  gateFor({ adapter, baseUrl, apiKey, name }: ModelConnection): RateGate {
    const key = JSON.stringify([adapter, baseUrl, apiKey]);
    const account = this.#accounts.getOrInsertComputed(key, noPause);
    return this.#gates.getOrInsertComputed(
      `${key} ${name}`,
      () => new RateGate(this.#shared, account),
    );
  }
}
