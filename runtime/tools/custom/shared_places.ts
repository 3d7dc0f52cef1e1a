// Implements a semaphore for calls that is fair to owners. The next place goes to the waiting call whose owner has the
// fewest places, so that calls of one owner that hang do not block the others.
import { firstOf, type WaitLimits } from "../../../base/first_of.ts";

/** A semaphore with a fixed number of places. Each acquired place must be released. */
export class SharedPlaces {
  readonly #count: number;
  #taken = 0;
  /** The number of acquired places by owner. Owners without a place are not in the map. */
  readonly #byOwner = new Map<string, number>();
  /** The waiting calls, in the order of their requests. */
  #waiting: { owner: string; come: PromiseWithResolvers<void> }[] = [];

  constructor(count: number) {
    this.#count = count;
  }

  /**
   * Acquires a place for an owner. Returns the function that releases it, or undefined if no place became free in time. An
   * owner gets a place only while it has fewer places than are free, so that one owner can block at most half of them.
   * Throws the signal's reason on abort.
   */
  async acquire(
    owner: string,
    limits: Required<WaitLimits>,
  ): Promise<(() => void) | undefined> {
    const { signal } = limits;
    signal.throwIfAborted();
    const waiter = { owner, come: Promise.withResolvers<void>() };
    this.#waiting.push(waiter);
    this.#giveOut();
    if (this.#waiting.includes(waiter)) {
      const first = await firstOf(waiter.come.promise, limits);
      if (this.#waiting.includes(waiter)) {
        this.#waiting = this.#waiting.filter((one) => one !== waiter);
        if (first.kind === "aborted") throw signal.reason;
        return undefined;
      }
    }
    return this.#once(owner);
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
