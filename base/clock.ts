// The only reader of time. Everything that waits or stamps takes a Clock, so that a test brings its own.

/** Wall-clock time and waiting. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Milliseconds since some moment, whatever the wall clock is set to. A clock without it is never set. */
  elapsed?(): number;
  /** Resolves after `ms` milliseconds; rejects with `signal.reason` as soon as the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Why something that nobody waits for any more is aborted. Without a reason, each abort would make an error with a trace. */
export const NO_LONGER_NEEDED = "no longer needed";

/** The machine's own clock. */
export class SystemClock implements Clock {
  now(): number {
    return Date.now();
  }

  elapsed(): number {
    return Math.round(performance.now());
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    if (signal?.aborted) {
      reject(signal.reason);
      return promise;
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    return promise;
  }
}

/** Calls `act` after `ms` milliseconds if the process is still running then. Does not keep it running. */
export function whenStillRunning(ms: number, act: () => void): void {
  Deno.unrefTimer(setTimeout(act, ms));
}

/** An instant as the wire shows it: ISO 8601, UTC, milliseconds, `Z`. */
export function toTimestamp(ms: number): string {
  return new Date(ms).toISOString();
}
