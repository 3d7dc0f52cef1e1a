// A system clock that blocks scripted runs with the delay AT_GATE_MS until the test calls `open()`.
import { untilAborted } from "../../../base/bounded_wait.ts";
import { SystemClock } from "../../../base/clock.ts";

/** The `delay_ms` of a scripted step that is blocked until `open()`. No other sleep has this length. */
export const AT_GATE_MS = 54_321;

/** A system clock on which sleeps of AT_GATE_MS last until `open()` or their abort signal. */
export class GateClock extends SystemClock {
  readonly #gate = Promise.withResolvers<void>();
  #waiting = 0;

  /** The number of sleeps that are blocked until `open()`. */
  get waiting(): number {
    return this.#waiting;
  }

  override async sleep(ms: number, signal = new AbortController().signal): Promise<void> {
    if (ms !== AT_GATE_MS) return await super.sleep(ms, signal);
    this.#waiting++;
    try {
      await untilAborted(this.#gate.promise, signal);
    } finally {
      this.#waiting--;
    }
  }

  /** Ends all present and future sleeps of AT_GATE_MS. */
  open(): void {
    this.#gate.resolve();
  }
}
