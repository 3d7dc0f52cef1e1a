// Reads the time and waits. All other code uses a Clock to read the time and to wait, so that a test can replace the time.

/** A source of wall-clock time and of waits. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Monotonic milliseconds, which do not jump when the wall clock is set. Absent: `now` never jumps either. */
  elapsed?(): number;
  /** Resolves after `ms` milliseconds; rejects with `signal.reason` as soon as the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Returns monotonic milliseconds. Differences between them are not affected by changes of the wall clock. */
export function monotonicNow(clock: Pick<Clock, "now" | "elapsed">): number {
  return clock.elapsed?.() ?? clock.now();
}

/**
 * The abort reason of work that no caller waits for any more. Without a given reason, an abort would create an error with a
 * stack trace.
 */
export const NO_LONGER_NEEDED = "no longer needed";

/** The maximum time of one timer. A timer with a longer time would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The clock of the machine. */
export class SystemClock implements Clock {
  now(): number {
    return Date.now();
  }

  elapsed(): number {
    return Math.round(performance.now());
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (!(ms > LONGEST_TIMER_MS)) return this.#sleepBriefly(ms, signal);
    return this.#sleepBriefly(LONGEST_TIMER_MS, signal)
      .then(() => this.sleep(ms - LONGEST_TIMER_MS, signal));
  }

  /** Sleeps with one timer. */
  #sleepBriefly(ms: number, signal?: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    if (signal?.aborted) {
      reject(signal.reason);
      return promise;
    }
    const stop = this.startTimer(ms, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    });
    const onAbort = () => {
      stop();
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    return promise;
  }

  /** Calls `onTime` after `ms` milliseconds. Returns a function that stops the timer. */
  protected startTimer(ms: number, onTime: () => void): () => void {
    const timer = setTimeout(onTime, ms);
    return () => clearTimeout(timer);
  }
}

/** Calls `act` after `ms` milliseconds if the process is running then. The timer does not keep the process running. */
export function whenStillRunning(ms: number, act: () => void): void {
  Deno.unrefTimer(setTimeout(act, ms));
}

/** Resolves after the other pending work of this process has had a turn. Unlike node:timers, loads no Node modules. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** Returns an instant as ISO 8601 in UTC, with milliseconds and `Z`, as the API does. */
export function toTimestamp(ms: number): string {
  return new Date(ms).toISOString();
}
