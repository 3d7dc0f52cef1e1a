// A clock on the machine's time that delays some scripted runs until the test releases them.
import { untilAborted } from "../../../base/bounded_wait.ts";
import { SystemClock } from "../../../base/clock.ts";

/** The `delay_ms` of a step that waits at the gate. No other sleep has this length. */
export const AT_GATE_MS = 54_321;

/** Sleeps of AT_GATE_MS end when the gate is opened, or with their signals. */
export class GateClock extends SystemClock {
  readonly #gate = Promise.withResolvers<void>();
  #waiting = 0;

  /** The number of sleeps at the gate. */
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

  /** Ends these sleeps, present and future. */
  open(): void {
    this.#gate.resolve();
  }
}
