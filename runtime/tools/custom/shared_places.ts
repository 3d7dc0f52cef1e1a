// A pool of places for calls, shared fairly: the waiter whose owner holds the fewest places is next, so that hanging calls
// of one owner do not block the others.
import type { Clock } from "../../../base/clock.ts";
import { firstOf } from "../../../base/first_of.ts";

/** The maximum wait for a place in milliseconds, and the signal that aborts it. */
export interface PlaceWait {
  clock: Clock;
  withinMs: number;
  signal: AbortSignal;
}

interface Waiter {
  owner: string;
  come: PromiseWithResolvers<void>;
}

/** A fixed number of places. Each taken place must be released. */
export class SharedPlaces {
  readonly #count: number;
  #taken = 0;
  /** The number of places by owner. Owners without a place are not listed. */
  readonly #byOwner = new Map<string, number>();
  /** Longest waiting first. */
  #waiting: Waiter[] = [];

  constructor(count: number) {
    this.#count = count;
  }

  /**
   * Takes a place for an owner. Returns the function that releases it, or undefined when no place became free in time. No
   * owner gets more places than remain for all others, so that one owner can block at most half of them. Throws the
   * signal's reason on abort.
   */
  async acquire(owner: string, { clock, withinMs, signal }: PlaceWait): Promise<
    (() => void) | undefined
  > {
    signal.throwIfAborted();
    const waiter: Waiter = { owner, come: Promise.withResolvers() };
    this.#waiting.push(waiter);
    this.#giveOut();
    if (this.#waiting.includes(waiter)) {
      const within = { clock, ms: withinMs };
      const first = await firstOf(waiter.come.promise, { within, signal });
      if (this.#waiting.includes(waiter)) {
        this.#waiting = this.#waiting.filter((one) => one !== waiter);
        if (first.kind === "aborted") throw signal.reason;
        return undefined;
      }
    }
    return this.#once(owner);
  }

  /** Gives every waiter a place at once, without a limit, for the shutdown. */
  admitAll(): void {
    for (const { owner, come } of this.#waiting.splice(0)) {
      this.#note(owner, 1);
      come.resolve();
    }
  }

  #once(owner: string): () => void {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#note(owner, -1);
      this.#giveOut();
    };
  }

  #giveOut(): void {
    for (;;) {
      const free = this.#count - this.#taken;
      const [next] = this.#waiting.filter(({ owner }) => this.#of(owner) < free)
        .sort((one, other) => this.#of(one.owner) - this.#of(other.owner));
      if (next === undefined) return;
      this.#waiting = this.#waiting.filter((one) => one !== next);
      this.#note(next.owner, 1);
      next.come.resolve();
    }
  }

  #of(owner: string): number {
    return this.#byOwner.get(owner) ?? 0;
  }

  #note(owner: string, change: 1 | -1): void {
    this.#taken += change;
    const now = this.#of(owner) + change;
    if (now === 0) this.#byOwner.delete(owner);
    else this.#byOwner.set(owner, now);
  }
}
