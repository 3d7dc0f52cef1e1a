// A clock that tests advance explicitly.
import { setImmediate } from "node:timers";
import type { Clock } from "../../base/clock.ts";

interface Sleeper {
  until: number;
  wake: () => void;
}

/** A Clock whose time changes only by `advance` and `jump`. */
export class TestClock implements Clock {
  /** Lets the work of woken sleepers run. */
  settle: () => Promise<void> = settle;
  #now: number;
  #sleepers: Sleeper[] = [];

  constructor(start: number | string = "2026-01-01T00:00:00.000Z") {
    this.#now = typeof start === "number" ? start : Date.parse(start);
  }

  now(): number {
    return this.#now;
  }

  /** The number of pending sleeps. */
  get sleeping(): number {
    return this.#sleepers.length;
  }

  /** Returns true if a sleep ends in exactly this many milliseconds. */
  awaits(ms: number): boolean {
    return this.countAwaiting(ms) > 0;
  }

  /** Returns the number of sleeps that end in exactly this many milliseconds. */
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

  /** Advances the time. Wakes due sleepers in the order of their times and lets their work run. */
  async advance(ms: number): Promise<void> {
    const target = this.#now + ms;
    for (;;) {
      await this.settle();
      const due = this.#sleepers.filter((one) => one.until <= target)
        .sort((a, b) => a.until - b.until)[0];
      if (due === undefined) break;
      this.#sleepers = this.#sleepers.filter((one) => one !== due);
      this.#now = Math.max(this.#now, due.until);
      due.wake();
    }
    this.#now = target;
    await this.settle();
  }

  /** Advances the time without waking sleepers, as if the machine slept or somebody set the clock. */
  jump(ms: number): void {
    this.#now += ms;
  }

  /** Advances the time at once, as on a machine that slept. Each due sleeper wakes once, and its work runs. */
  async skip(ms: number): Promise<void> {
    this.jump(ms);
    await this.advance(0);
  }
}

/** A TestClock with a monotonic time, and a wall clock that a test can set. */
export class SteppedClock extends TestClock {
  #offset = 0;

  override now(): number {
    return super.now() + this.#offset;
  }

  elapsed(): number {
    return super.now();
  }

  /** Sets the wall clock forward or back. */
  step(ms: number): void {
    this.#offset += ms;
  }
}

/** Lets pending promise reactions and one round of macrotasks run. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 3; i++) {
    await new Promise<void>((resolve) => setTimeout(resolve, 0));
  }
}

/** Like settle(), at a thirtieth of its cost, for work without real input and output. */
export async function settleQuickly(): Promise<void> {
  for (let i = 0; i < 3; i++) await new Promise<void>((resolve) => setImmediate(resolve));
}
