// The machine's time, in which the delays of some scripted runs last until the test lets them end.
import { untilAborted } from "../../../base/bounded_wait.ts";
import { SystemClock } from "../../../base/clock.ts";

/** The `delay_ms` of a step that waits at the gate. Nothing else sleeps for so long. */
export const AT_GATE_MS = 54_321;

/** Sleeps of AT_GATE_MS end when the gate is opened, or with their signals. */
export class GateClock extends SystemClock {
  readonly #gate = Promise.withResolvers<void>();
  #waiting = 0;

  /** How many wait at the gate. */
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

  /** Lets those that wait go on, and those to come. */
  open(): void {
    this.#gate.resolve();
  }
}
