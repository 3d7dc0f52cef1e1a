// Makes random choices.
import { seededRandom } from "../../tests/support/seeded_random.ts";

/** A source of random choices. */
export class Chance {
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** Returns the source of one part of a load. So a change in one part does not change the choices of the others. */
  static of(seed: number, stream: string): Chance {
    let mixed = seed | 0;
    for (const character of stream) mixed = Math.imul(mixed ^ character.charCodeAt(0), 0x9e3779b1);
    // The generator would return zero forever if its seed were zero.
    const random = seededRandom(mixed === 0 ? 1 : mixed);
    for (let i = 0; i < 8; i++) random();
    return new Chance(random);
  }

  /** Returns true with this probability. */
  is(probability: number): boolean {
    return this.#random() < probability;
  }

  /** Returns an integer from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.#random() * (high - low + 1));
  }

  one<T>(list: readonly T[]): T {
    const found = list[this.between(0, list.length - 1)];
    if (found === undefined) throw new RangeError("nothing to choose from");
    return found;
  }

  /** Returns one of the keys; a key with twice the weight is twice as probable. */
  weighted<Key extends string>(weights: Readonly<Record<Key, number>>): Key {
    const entries = Object.entries(weights) as [Key, number][];
    let left = this.#random() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [key, weight] of entries) if ((left -= weight) < 0) return key;
    throw new RangeError("nothing to choose from");
  }

  /** Returns the milliseconds until the next random event. `mean` is the average interval in milliseconds. */
  wait(mean: number): number {
    return -Math.log(1 - this.#random()) * mean;
  }
}
