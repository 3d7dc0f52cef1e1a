// Long work of the processor in slices, so that the service answers others meanwhile.
import { SystemClock } from "./clock.ts";

const SYSTEM = new SystemClock();
/** How long the service's thread works before the others get their turn, however many works are under way at once. */
const SLICE_MS = 10;

/** When the slice began that is worked in now: one for all works. */
let since = -Infinity;
/** The turn that was asked for last: each waits for the one before, or all would come at once, one behind the other. */
let last = Promise.resolve();

/**
 * Asked often during a piece of work: lets everybody else have a turn when it has been long enough. Undefined while there is
 * nothing to wait for, which takes no turn itself; await what it returns. Real time, no Clock's.
 */
export function nextSlice(): Promise<void> | undefined {
  if (performance.now() - since < SLICE_MS) return undefined;
  last = last.then(() => SYSTEM.sleep(0)).then(() => {
    since = performance.now();
  });
  return last;
}
