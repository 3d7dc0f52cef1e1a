// A clock for long stretches: real time runs as fast as those who sleep allow, and the wall's time can be set.
import type { Clock } from "../../base/clock.ts";

interface Sleeper {
  until: number;
  wake: () => void;
}

/** Real time only moves in `runUntil`; it moves from sleeper to sleeper, each time waiting until somebody sleeps again. */
export class SimulatedClock implements Clock {
  #real: number;
  #offset = 0;
  #sleepers: Sleeper[] = [];
  #slept = Promise.withResolvers<void>();
  wakes = 0;

  constructor(start: number) {
    this.#real = start;
  }

  /** Milliseconds of real time; at the beginning, what the wall shows. */
  get real(): number {
    return this.#real;
  }

  /** The number of pending waits. */
  get sleeping(): number {
    return this.#sleepers.length;
  }

  /** When the first sleeper wakes, in real time. */
  get nextWake(): number {
    return Math.min(...this.#sleepers.map(({ until }) => until));
  }

  now(): number {
    return this.#real + this.#offset;
  }

  elapsed(): number {
    return this.#real;
  }

  /** Sets the wall clock forward or back, without a notification. */
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

  /** Waits until a sleep is pending: all due work is done. */
  async idle(): Promise<void> {
    await this.#slept.promise;
  }

  /** Lets real time run. Somebody must sleep, or come to sleep; with nobody about, see `pass`. */
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

  /** Real time passes while nobody sleeps. */
  pass(target: number): void {
    this.#real = target;
  }

  #leave(sleeper: Sleeper): void {
    this.#sleepers = this.#sleepers.filter((one) => one !== sleeper);
    if (this.#sleepers.length === 0) this.#slept = Promise.withResolvers();
  }
}
