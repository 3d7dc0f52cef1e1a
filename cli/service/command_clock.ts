// Implements the clock of a command. It waits with AbortSignal.timeout(). Deno's setTimeout() is Node's implementation, and
// loading it would take a fifth of a command's start time.
import { SystemClock } from "../../base/clock.ts";

/**
 * The system clock for a short-lived process. The timer of an aborted wait remains until its time, but does not keep the
 * process alive.
 */
export class CommandClock extends SystemClock {
  protected override sleepBriefly(ms: number, signal?: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    if (signal?.aborted) {
      reject(signal.reason);
      return promise;
    }
    const time = AbortSignal.timeout(Math.max(0, ms));
    const onTime = () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    };
    const onAbort = () => {
      time.removeEventListener("abort", onTime);
      reject(signal?.reason);
    };
    // The listener keeps the process alive until the timeout. Without a listener, the process could end before the timeout.
    time.addEventListener("abort", onTime, { once: true });
    signal?.addEventListener("abort", onAbort, { once: true });
    return promise;
  }
}
