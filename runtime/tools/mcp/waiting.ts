// Waits that end in time: with a signal, or with a limit of the Clock.
import type { Clock } from "../../clock.ts";

/** What a promise resolves to, or the signal's reason as soon as it aborts. The work goes on: others may wait for it. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
    // Whoever gave up wants to hear nothing more of it.
    work.catch(() => {});
  }
}

/**
 * Runs `work` with a signal that aborts with `reason` after `ms`, and with the other signal's reason when that aborts. How it
 * ends then is the work's own affair.
 */
export async function withinTime<T>(
  options: { clock: Clock; ms: number; reason: Error; signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const timer = new AbortController();
  const signal = AbortSignal.any([options.signal, limit.signal]);
  const timeout = options.clock.sleep(options.ms, timer.signal).then(
    () => limit.abort(options.reason),
    () => {/* The work ended in time. */},
  );
  try {
    return await work(signal);
  } finally {
    timer.abort();
    await timeout;
  }
}
