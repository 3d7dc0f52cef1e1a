// Random choices for the soak: one seed, many streams, so that the draws of one part do not shift another's.
import { seededRandom } from "../../tests/support/seeded_random.ts";

/** A source of choices. */
export class Chance {
  readonly #random: () => number;

  constructor(seed: number, stream: string) {
    let mixed = seed | 0;
    for (const character of stream) mixed = Math.imul(mixed ^ character.charCodeAt(0), 0x9e3779b1);
    // Zero would stay zero forever.
    this.#random = seededRandom(mixed === 0 ? 1 : mixed);
    for (let i = 0; i < 8; i++) this.#random();
  }

  /** Returns true with this probability. */
  is(probability: number): boolean {
    return this.#random() < probability;
  }

  /** Returns an integer; both ends are possible. */
  between(low: number, high: number): number {
    return low + Math.floor(this.#random() * (high - low + 1));
  }

  one<T>(list: readonly T[]): T {
    const found = list[this.between(0, list.length - 1)];
    if (found === undefined) throw new RangeError("nothing to choose from");
    return found;
  }

  /** Returns one of the keys, by their weights. */
  weighted<Key extends string>(weights: Readonly<Record<Key, number>>): Key {
    const entries = Object.entries(weights) as [Key, number][];
    let left = this.#random() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [key, weight] of entries) if ((left -= weight) < 0) return key;
    throw new RangeError("nothing to choose from");
  }

  /** Returns milliseconds until the next random event; `mean` is the average interval. */
  wait(mean: number): number {
    return -Math.log(1 - this.#random()) * mean;
  }
}
