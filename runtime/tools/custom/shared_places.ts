// A few places, shared so that an owner whose work hangs does not hold up all others: owners with few places come first.
import type { Clock } from "../../../base/clock.ts";
import { firstOf } from "../../../base/first_of.ts";

/** How long one waits for a place, in milliseconds, and what ends the wait before. */
export interface PlaceWait {
  clock: Clock;
  withinMs: number;
  signal: AbortSignal;
}

interface Waiter {
  owner: string;
  come: PromiseWithResolvers<void>;
}

/** A fixed number of places. Each one that is taken must be let go. */
export class SharedPlaces {
  readonly #count: number;
  #taken = 0;
  /** How many each owner has; an owner without any is not in it. */
  readonly #byOwner = new Map<string, number>();
  /** Longest waiting first. */
  #waiting: Waiter[] = [];

  constructor(count: number) {
    this.#count = count;
  }

  /**
   * Takes a place for an owner and returns what lets it go, or undefined when there was none in time. Nobody gets more
   * than are left then for everybody else, so that one who keeps all it has never has more than half of them. Throws the
   * signal's reason.
   */
  async take(owner: string, { clock, withinMs, signal }: PlaceWait): Promise<
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

  /** Who waits gets a place at once, as long as the count is not asked for any more: everything is being ended. */
  open(): void {
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
