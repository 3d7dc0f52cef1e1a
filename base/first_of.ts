// Races an operation against a time limit and an abort signal.
import { type Clock, NO_LONGER_NEEDED } from "./clock.ts";

/** The longest wait; absent: no limit but the signal. */
export interface WaitLimits {
  within?: { clock: Clock; ms: number };
  signal?: AbortSignal;
}

/** The result of the race: the work is done, its time is over, or the signal aborted. */
export type FirstOf<T> = { kind: "done"; value: T } | { kind: "late" } | { kind: "aborted" };

/** Waits for the work within limits. The work itself continues. Its rejection is rethrown only if it comes first. */
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
        // Stopped below: the race is decided, and this result is ignored.
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
