// Divides long computations into slices, so that the service can answer requests in between.
import { SystemClock } from "./clock.ts";

const SYSTEM = new SystemClock();
/** The longest computation before other work gets a turn, however many computations are in progress. */
const SLICE_MS = 10;

/** The start of the current slice, shared by all computations. */
let since = -Infinity;
/** The last requested turn. Each turn waits for the one before. Otherwise all would come at once, one behind the other. */
let last = Promise.resolve();

/**
 * Call often during a computation: gives other work a turn when the slice is over. Returns undefined while there is no
 * need to wait, which costs no turn itself; await the result. Uses real time instead of a Clock.
 */
export function nextSlice(): Promise<void> | undefined {
  if (performance.now() - since < SLICE_MS) return undefined;
  last = last.then(() => SYSTEM.sleep(0)).then(() => {
    since = performance.now();
  });
  return last;
}
