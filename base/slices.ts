// Divides long computations into slices, between which the service can answer requests.
import { SystemClock } from "./clock.ts";

const SYSTEM = new SystemClock();
/** The maximum milliseconds of computation before other work runs, for all computations together. */
const SLICE_MS = 10;

/** The start of the current slice, which all computations share. */
let since = -Infinity;
/**
 * Resolves after the pause that was requested last; in a pause, other work runs. Each pause begins after the previous
 * pause, so that simultaneous computations continue one after another.
 */
let last = Promise.resolve();

/**
 * Lets other work run if the present time slice is over. To be called and awaited often during a long computation. Returns
 * undefined if there is no need to wait. Reads real time instead of a Clock.
 */
export function nextSlice(): Promise<void> | undefined {
  if (performance.now() - since < SLICE_MS) return undefined;
  last = last.then(() => SYSTEM.sleep(0)).then(() => {
    since = performance.now();
  });
  return last;
}
