// A clock that a test moves by hand.
import type { Clock } from "../../base/clock.ts";

interface Sleeper {
  until: number;
  wake: () => void;
}

/** Time is constant until `advance`; sleepers wake in the order of their times. */
export class TestClock implements Clock {
  #now: number;
  #sleepers: Sleeper[] = [];

  constructor(start: number | string = "2026-01-01T00:00:00.000Z") {
    this.#now = typeof start === "number" ? start : Date.parse(start);
  }

  now(): number {
    return this.#now;
  }

  /** The number of pending waits. */
  get sleeping(): number {
    return this.#sleepers.length;
  }

  /** Returns true if a wait of exactly this length is pending. */
  awaits(ms: number): boolean {
    return this.countAwaiting(ms) > 0;
  }

  /** The number of such waits. */
  countAwaiting(ms: number): number {
    return this.#sleepers.filter(({ until }) => until === this.#now + ms).length;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    if (signal?.aborted) {
      reject(signal.reason);
      return promise;
    }
    const onAbort = () => {
      this.#sleepers = this.#sleepers.filter((one) => one !== sleeper);
      reject(signal?.reason);
    };
    const sleeper: Sleeper = {
      until: this.#now + Math.max(0, ms),
      wake: () => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      },
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    this.#sleepers.push(sleeper);
    return promise;
  }

  /** Moves time forward, wakes the sleepers that are due, and lets their work run. */
  async advance(ms: number): Promise<void> {
    const target = this.#now + ms;
    for (;;) {
      await settle();
      const due = this.#sleepers.filter((one) => one.until <= target)
        .sort((a, b) => a.until - b.until)[0];
      if (due === undefined) break;
      this.#sleepers = this.#sleepers.filter((one) => one !== due);
      this.#now = Math.max(this.#now, due.until);
      due.wake();
    }
    this.#now = target;
    await settle();
  }

  /** Sets the time without waking anybody on the way: a machine that slept, a clock that was set. */
  jump(ms: number): void {
    this.#now += ms;
  }
}

/** Lets pending promise reactions and one round of macrotasks run. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 3; i++) {
    await new Promise<void>((resolve) => setTimeout(resolve, 0));
  }
}
