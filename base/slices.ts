// Long work of the processor in slices, so that the service answers others meanwhile.

import { SystemClock } from "./clock.ts";

const SYSTEM = new SystemClock();
/** How long one works before the others get their turn. */
const SLICE_MS = 10;

/** Asked often during a piece of work: lets everybody else have a turn when it has been long enough. Real time, no Clock's. */
export class Slices {
  #since = performance.now();

  /** Undefined while there is nothing to wait for, which takes no turn itself; await what it returns. */
  next(): Promise<void> | undefined {
    return performance.now() - this.#since < SLICE_MS ? undefined : this.#turn();
  }

  async #turn(): Promise<void> {
    await SYSTEM.sleep(0);
    this.#since = performance.now();
  }
}
