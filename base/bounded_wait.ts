// Waits that end at a signal or at a time limit of the Clock.
import { type Clock, NO_LONGER_NEEDED } from "./clock.ts";

/** The time limit of an operation. */
export interface TimeLimit {
  clock: Pick<Clock, "sleep">;
  ms: number;
  /** The abort reason of the operation's signal when the time is over. */
  reason: Error;
  /** Aborts the operation earlier, with a reason of its own. */
  signal?: AbortSignal;
}

/**
 * Resolves like the promise, or rejects with the signal's reason as soon as it aborts. The work continues and may have
 * other waiters; its later result is ignored here.
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
 * Runs `work` with a signal that aborts with the limit's reason when the time is over, or with the other signal's
 * reason when that aborts. Work that makes progress calls `restart`, which restarts the time. Wrap work that may ignore
 * its signal in untilAborted.
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
      if (await sleepUnlessAborted(clock, ms, round.signal)) return limit.abort(reason);
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

/** Sleeps. Returns true after the whole time, false when the signal ended the sleep. */
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
