// Runs work with a time limit: its signal aborts when the time is over.
import { withinTime } from "../../base/bounded_wait.ts";
import type { Clock } from "./app.ts";

/** Error: the work did not finish in time. */
export class DeadlineExceeded extends Error {
  override readonly name = "DeadlineExceeded";
}

/** Runs `work` and returns its result. Its signal aborts with DeadlineExceeded after `ms`, or with the reason of `options.signal`. */
export function withDeadline<T>(
  clock: Clock,
  work: (signal: AbortSignal) => Promise<T>,
  options: { ms: number; signal?: AbortSignal },
): Promise<T> {
  const reason = new DeadlineExceeded(`No answer within ${options.ms / 1_000} s`);
  return withinTime({ clock, ...options, reason }, work);
}
