// Runs asynchronous work with a time limit.
import { withinTime } from "../../base/bounded_wait.ts";
import type { Clock } from "./app.ts";

/** Error: asynchronous work did not finish in time. */
export class DeadlineExceeded extends Error {
  override readonly name = "DeadlineExceeded";
}

/**
 * Runs `work` and returns its result. The signal that `work` receives aborts with DeadlineExceeded after `ms` milliseconds,
 * or with the reason of `options.signal`. The function then rejects with the same reason.
 */
export function withDeadline<T>(
  clock: Clock,
  work: (signal: AbortSignal) => Promise<T>,
  options: { ms: number; signal?: AbortSignal },
): Promise<T> {
  const reason = new DeadlineExceeded(`No answer within ${options.ms / 1_000} s`);
  return withinTime({ clock, ...options, reason }, work);
}
