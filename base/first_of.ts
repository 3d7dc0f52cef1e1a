// Waits for an operation until a time limit is over or a signal aborts.
import { type Clock, NO_LONGER_NEEDED } from "./clock.ts";

/** The limits of a wait. Without a time, only the signal ends the wait. */
export interface WaitLimits {
  within?: { clock: Clock; ms: number };
  signal?: AbortSignal;
}

/** The result of the wait: the work is done, the time is over, or the signal aborted. */
export type FirstOf<T> = { kind: "done"; value: T } | { kind: "late" } | { kind: "aborted" };

/**
 * Waits for the work, the time limit and the signal, and returns which came first. The work continues after the time limit
 * or the signal. Throws the error of the work only if its failure came first.
 */
export async function firstOf<T>(
  work: Promise<T>,
  { within, signal }: WaitLimits,
): Promise<FirstOf<T>> {
  const stop = new AbortController();
  const others: Promise<FirstOf<T>>[] = [];
  if (within !== undefined) {
    others.push(
      within.clock.sleep(within.ms, stop.signal).then(
        () => ({ kind: "late" as const }),
        // The sleep was aborted below, after the result was decided, so this value is ignored.
        () => ({ kind: "late" as const }),
      ),
    );
  }
  if (signal !== undefined) others.push(abortOf(signal, stop.signal));
  try {
    return await Promise.race([
      work.then((value) => ({ kind: "done" as const, value })),
      ...others,
    ]);
  } finally {
    stop.abort(NO_LONGER_NEEDED);
    await Promise.all(others);
  }
}

function abortOf(signal: AbortSignal, stop: AbortSignal): Promise<{ kind: "aborted" }> {
  const { promise, resolve } = Promise.withResolvers<{ kind: "aborted" }>();
  const onAbort = () => resolve({ kind: "aborted" });
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  stop.addEventListener("abort", () => {
    signal.removeEventListener("abort", onAbort);
    onAbort();
  }, { once: true });
  return promise;
}
