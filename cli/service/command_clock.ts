// Implements the clock of a command. It waits with AbortSignal.timeout(). Deno's setTimeout() is Node's implementation, and
// loading it would take a fifth of a command's start time.
import { SystemClock } from "../../base/clock.ts";

/**
 * The system clock of a command. The timer of an aborted wait remains until its time, but does not keep the process alive.
 */
export class CommandClock extends SystemClock {
  protected override startTimer(ms: number, onTime: () => void): () => void {
    const time = AbortSignal.timeout(Math.max(0, ms));
    // The listener keeps the process alive until the timeout. Without a listener, the process could end before the timeout.
    time.addEventListener("abort", onTime, { once: true });
    return () => time.removeEventListener("abort", onTime);
  }
}
