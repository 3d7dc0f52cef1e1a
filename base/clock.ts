// The only reader of time. Code that waits or reads the time takes a Clock, so that a test can replace it.

/** Wall-clock time and waiting. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Monotonic milliseconds. A clock without this method is never set. */
  elapsed?(): number;
  /** Resolves after `ms` milliseconds; rejects with `signal.reason` as soon as the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The abort reason for work that has no waiter left. An abort without a reason would create an error with a stack trace. */
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

/** Calls `act` after `ms` milliseconds if the process still runs then. Does not keep the process running. */
export function whenStillRunning(ms: number, act: () => void): void {
  Deno.unrefTimer(setTimeout(act, ms));
}

/** Returns an instant as ISO 8601 in UTC, with milliseconds and `Z`, as the API does. */
export function toTimestamp(ms: number): string {
  return new Date(ms).toISOString();
}
