// The clock of a command. It waits by AbortSignal.timeout(), because loading Deno's setTimeout(), which is Node's, would
// take a fifth of the start.
import { SystemClock } from "../../base/clock.ts";

/** The system clock, for a process that ends with its command. An aborted wait leaves a timer that does not keep the process alive. */
export class CommandClock extends SystemClock {
  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
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
    // The listener keeps the process alive until the timeout.
    time.addEventListener("abort", onTime, { once: true });
    signal?.addEventListener("abort", onAbort, { once: true });
    return promise;
  }
}
