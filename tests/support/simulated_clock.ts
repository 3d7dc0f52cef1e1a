// A clock for simulations of months. Real time advances as fast as the code under test sleeps, and a test can set the wall
// clock.
import type { Clock } from "../../base/clock.ts";

interface Sleeper {
  until: number;
  wake: () => void;
}

/** A simulated clock. Real time advances only in `runUntil` and `pass`: from one sleeper's wake time to the next. */
export class SimulatedClock implements Clock {
  #real: number;
  #offset = 0;
  #sleepers: Sleeper[] = [];
  #slept = Promise.withResolvers<void>();
  wakes = 0;

  constructor(start: number) {
    this.#real = start;
  }

  /** The real time in milliseconds. It starts at the wall clock's time. */
  get real(): number {
    return this.#real;
  }

  /** The number of pending sleeps. */
  get sleeping(): number {
    return this.#sleepers.length;
  }

  /** The real time when the next sleeper wakes, in milliseconds. */
  get nextWake(): number {
    return Math.min(...this.#sleepers.map(({ until }) => until));
  }

  now(): number {
    return this.#real + this.#offset;
  }

  elapsed(): number {
    return this.#real;
  }

  /** Sets the wall clock forward or back without notifying sleepers. */
  step(ms: number): void {
    this.#offset += ms;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    if (signal?.aborted) {
      reject(signal.reason);
      return promise;
    }
    const onAbort = () => {
      this.#leave(sleeper);
      reject(signal?.reason);
    };
    const sleeper = {
      until: this.#real + ms,
      wake: () => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      },
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    this.#sleepers.push(sleeper);
    this.#slept.resolve();
    return promise;
  }

  /** Waits until a sleep is pending. Code that sleeps has finished its due work. */
  async idle(): Promise<void> {
    await this.#slept.promise;
  }

  /**
   * Advances real time (see the class) to `target`, and wakes each sleeper at its time. While nothing sleeps, this method
   * waits for a sleep; `pass` sets the time at once.
   */
  async runUntil(target: number): Promise<void> {
    for (;;) {
      await this.idle();
      const first = this.#sleepers.reduce((a, b) => b.until < a.until ? b : a);
      if (first.until > target) break;
      this.#real = Math.max(this.#real, first.until);
      this.#leave(first);
      this.wakes++;
      first.wake();
    }
    this.#real = target;
  }

  /** Sets real time to `target` although nothing sleeps. */
  pass(target: number): void {
    this.#real = target;
  }

  #leave(sleeper: Sleeper): void {
    this.#sleepers = this.#sleepers.filter((one) => one !== sleeper);
    if (this.#sleepers.length === 0) this.#slept = Promise.withResolvers();
  }
}
