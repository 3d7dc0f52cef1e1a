// Waiting with an end: work that gets a signal which aborts when its time is over.
import type { Clock } from "./app.ts";

/** The time was over before the work was. */
export class DeadlineExceeded extends Error {
  override readonly name = "DeadlineExceeded";
}

/** The result of `work`. Its signal aborts with DeadlineExceeded after `ms`, or with the reason of `options.signal`. */
export async function withDeadline<T>(
  clock: Clock,
  work: (signal: AbortSignal) => Promise<T>,
  options: { ms: number; signal?: AbortSignal },
): Promise<T> {
  const limit = new AbortController();
  const done = new AbortController();
  const timer = clock.sleep(options.ms, done.signal).then(
    () => limit.abort(new DeadlineExceeded(`No answer within ${options.ms / 1_000} s`)),
    () => {/* The work ended in time. */},
  );
  const { signal } = options;
  try {
    return await work(
      signal === undefined ? limit.signal : AbortSignal.any([limit.signal, signal]),
    );
  } finally {
    done.abort();
    await timer;
  }
}

/** The result of `work`, or a rejection with the signal's reason as soon as it aborts; the work itself goes on. */
export async function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
