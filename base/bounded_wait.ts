// Waits that end when a signal aborts or when a time limit of the Clock is over.
import { type Clock, NO_LONGER_NEEDED } from "./clock.ts";

/** The time limit of an operation, and an optional signal. */
export interface TimeLimit {
  clock: Pick<Clock, "sleep">;
  ms: number;
  /** The reason with which the operation's signal aborts when the time is over, or a function that creates the reason. */
  reason: Error | (() => Error);
  /** A signal that aborts the operation earlier, with the signal's reason. */
  signal?: AbortSignal;
}

/**
 * Settles like the promise, or rejects with the signal's reason as soon as the signal aborts. The work then continues,
 * because other callers may wait for it, but its result is ignored here.
 */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/**
 * Runs `work` with a signal that aborts when the time is over, with the limit's reason, or when `limit.signal` aborts, with
 * that signal's reason. Work that makes progress calls `restart` to restart the time. Wrap work that may ignore its signal
 * in untilAborted().
 */
export async function withinTime<T>(
  { clock, ms, reason, signal }: TimeLimit,
  work: (signal: AbortSignal, restart: () => void) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  let round = new AbortController();
  let isDone = false;
  const watch = async () => {
    while (!isDone) {
      if (await sleepUnlessAborted(clock, ms, round.signal)) {
        return limit.abort(typeof reason === "function" ? reason() : reason);
      }
    }
  };
  const restart = () => {
    const before = round;
    round = new AbortController();
    before.abort(NO_LONGER_NEEDED);
  };
  const watching = watch();
  try {
    return await work(
      signal === undefined ? limit.signal : AbortSignal.any([signal, limit.signal]),
      restart,
    );
  } finally {
    isDone = true;
    round.abort(NO_LONGER_NEEDED);
    await watching;
  }
}

/** Waits, and returns true after the whole time, or false if the signal ended the wait. */
export async function sleepUnlessAborted(
  clock: Pick<Clock, "sleep">,
  ms: number,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await clock.sleep(ms, signal);
    return true;
  } catch (error) {
    if (!signal.aborted) throw error;
    return false;
  }
}
