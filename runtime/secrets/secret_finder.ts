// Finds many texts in one pass, so that the number of secrets does not slow down redaction.
// Decision: a rolling hash (Rabin-Karp) of our own. Rejected: one regular expression of all secrets, because it tries each
// secret at each position.

import type { Secret } from "./secret.ts";

/** The range of a secret in a text, in UTF-16 code units, and the name to show in its place. */
export interface Mark {
  from: number;
  to: number;
  name: string;
}

/** The maximum length of the windows that are hashed. Shorter needles shorten the windows. */
const WINDOW = 8;
const FACTOR = 31;
const FILTER_BITS = 0xffff;

/** Finds the occurrences of a fixed list of texts. */
export class SecretFinder {
  readonly #window: number;
  /** The factor of the character that leaves the window. */
  readonly #leaving: number;
  /** The needles, which are notations of secrets, by their first window. The longest are first. */
  readonly #needles = new Map<string, Secret[]>();
  /** Marks the low bits of the hashes of all first windows. */
  readonly #filter = new Uint8Array(FILTER_BITS + 1);
  readonly #longestFirst: readonly Secret[];

  constructor(needles: readonly Secret[]) {
    this.#longestFirst = needles.toSorted((a, b) => b.value.length - a.value.length);
    this.#window = Math.min(WINDOW, this.#longestFirst.at(-1)?.value.length ?? WINDOW);
    let leaving = 1;
    for (let i = 1; i < this.#window; i++) leaving = Math.imul(leaving, FACTOR);
    this.#leaving = leaving;
    for (const needle of this.#longestFirst) {
      const beginning = needle.value.slice(0, this.#window);
      this.#needles.getOrInsertComputed(beginning, () => []).push(needle);
      this.#filter[this.#hash(beginning) & FILTER_BITS] = 1;
    }
  }

  /**
   * Returns the occurrences of all needles, in order, without those within an earlier occurrence. Occurrences of different
   * needles may overlap. Of overlapping occurrences of one needle, only the first is returned.
   */
  find(text: string): Mark[] {
    const found: Mark[] = [];
    const window = this.#window;
    const last = text.length - window;
    if (last < 0 || this.#needles.size === 0) return found;
    const filter = this.#filter;
    const leaving = this.#leaving;
    let hash = this.#hash(text);
    let end = 0;
    const ends = new Map<string, number>();
    for (let from = 0;; from++) {
      if (filter[hash & FILTER_BITS] === 1) {
        const needle = this.#needles.get(text.slice(from, from + window))?.find((one) =>
          from + one.value.length > end && (ends.get(one.value) ?? 0) <= from &&
          text.startsWith(one.value, from)
        );
        if (needle !== undefined) {
          end = from + needle.value.length;
          ends.set(needle.value, end);
          found.push({ from, to: end, name: needle.name });
        }
      }
      if (from === last) return found;
      const rest = hash - Math.imul(text.charCodeAt(from), leaving);
      hash = (Math.imul(rest, FACTOR) + text.charCodeAt(from + window)) | 0;
    }
  }

  /** Returns the length of the longest end of the text that is the beginning of a needle, but not a needle itself. */
  openEnd(text: string): number {
    const longest = this.#longestFirst[0]?.value.length ?? 0;
    for (let from = Math.max(0, text.length - longest + 1); from < text.length; from++) {
      const end = text.slice(from);
      const similar = end.length < this.#window
        ? this.#longestFirst
        : this.#needles.get(end.slice(0, this.#window)) ?? [];
      if (similar.some((one) => one.value.length > end.length && one.value.startsWith(end))) {
        return end.length;
      }
    }
    return 0;
  }

  #hash(text: string): number {
    let hash = 0;
    for (let i = 0; i < this.#window; i++) {
      hash = (Math.imul(hash, FACTOR) + text.charCodeAt(i)) | 0;
    }
    return hash;
  }
}
