// Time for a command. Deno's setTimeout is Node's, and loading that takes a command a fifth of its start; the time limit
// of a signal is Deno's own.
import { SystemClock } from "../../base/clock.ts";

/**
 * The machine's clock, for a process that ends with its command: a wait that is called off leaves its timer behind, which
 * keeps nothing alive.
 */
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
    // Who listens keeps the process alive until then.
    time.addEventListener("abort", onTime, { once: true });
    signal?.addEventListener("abort", onAbort, { once: true });
    return promise;
  }
}
