// The machine's time, in which the delays of some scripted runs last until the test lets them end.
import { untilAborted } from "../../../base/bounded_wait.ts";
import { SystemClock } from "../../../base/clock.ts";

/** The `delay_ms` of a step that waits at the gate. Nothing else sleeps for so long. */
export const AT_GATE_MS = 54_321;

/** Sleeps of AT_GATE_MS end when the gate is opened, or with their signals. */
export class GateClock extends SystemClock {
  readonly #gate = Promise.withResolvers<void>();

  override sleep(ms: number, signal = new AbortController().signal): Promise<void> {
    return ms === AT_GATE_MS ? untilAborted(this.#gate.promise, signal) : super.sleep(ms, signal);
  }

  /** Lets those that wait go on, and those to come. */
  open(): void {
    this.#gate.resolve();
  }
}
