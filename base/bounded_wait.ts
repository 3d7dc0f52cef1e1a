// Waits that end in time: with a signal, or with a limit of the Clock.
import { type Clock, NO_LONGER_NEEDED } from "./clock.ts";

/** How long some work may take, and what it is told when that is over. */
export interface TimeLimit {
  clock: Pick<Clock, "sleep">;
  ms: number;
  /** What the work's signal aborts with once the time is over. */
  reason: Error;
  /** Ends the work before that, with a reason of its own. */
  signal?: AbortSignal;
}

/**
 * What a promise resolves to, or a rejection with the signal's reason as soon as it aborts. The work continues, and others
 * may wait for it; how it ends then is told to nobody here.
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
 * Runs `work` with a signal that aborts with the limit's reason after its time, and with the other signal's reason when that
 * aborts. Work that reports progress calls `restart`, which starts the time again. Wrap work that may ignore its signal in
 * untilAborted.
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

/** Sleeps, and tells whether it was for the whole time: false when the signal ended it. */
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
