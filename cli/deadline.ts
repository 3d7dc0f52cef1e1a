// Waiting with an end: work that gets a signal which aborts when its time is over.
import { withinTime } from "../base/bounded_wait.ts";
import type { Clock } from "./app.ts";

/** The time was over before the work was. */
export class DeadlineExceeded extends Error {
  override readonly name = "DeadlineExceeded";
}

/** The result of `work`. Its signal aborts with DeadlineExceeded after `ms`, or with the reason of `options.signal`. */
export function withDeadline<T>(
  clock: Clock,
  work: (signal: AbortSignal) => Promise<T>,
  options: { ms: number; signal?: AbortSignal },
): Promise<T> {
  const reason = new DeadlineExceeded(`No answer within ${options.ms / 1_000} s`);
  return withinTime({ clock, ...options, reason }, work);
}
