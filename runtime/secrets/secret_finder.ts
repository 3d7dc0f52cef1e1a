// Finds many texts in one pass, so that neither the number of secrets nor their common beginnings slow down redaction.
// Decision: a rolling hash (Rabin-Karp) and a tree of our own. Rejected: one regular expression of all secrets, because it
// tries each secret at each position.

/** A text to find. */
export interface Needle {
  text: string;
  /** The name of the secret that the text belongs to. */
  name: string;
}

/** An occurrence of a needle. */
export interface Found {
  from: number;
  to: number;
  name: string;
}

/** The maximum length of the windows that are hashed. Shorter needles shorten the windows. */
const WINDOW = 8;
const FACTOR = 31;
const FILTER_BITS = 0xffff;

/** The needles with a common beginning, by their next character. A needle without a sibling is a leaf. */
class Branch {
  readonly next = new Map<number, Branch | Needle>();
  /** The needle that is the common beginning itself. */
  end: Needle | undefined;

  /** Adds a needle whose first `depth` characters are the common beginning. */
  add(needle: Needle, depth: number): void {
    const { text } = needle;
    if (depth === text.length) {
      this.end ??= needle;
      return;
    }
    const code = text.charCodeAt(depth);
    const child = this.next.get(code);
    if (child === undefined) this.next.set(code, needle);
    else if (child instanceof Branch) child.add(needle, depth + 1);
    else if (child.text !== text) {
      const branch = new Branch();
      branch.add(child, depth + 1);
      branch.add(needle, depth + 1);
      this.next.set(code, branch);
    }
  }
}

/** Finds the occurrences of a fixed list of texts. */
export class SecretFinder {
  readonly #window: number;
  /** The factor of the character that leaves the window. */
  readonly #leaving: number;
  /** The needles by their first window. */
  readonly #branches = new Map<string, Branch>();
  /** Marks the low bits of the hashes of all first windows. */
  readonly #filter = new Uint8Array(FILTER_BITS + 1);
  /** All beginnings of the needles that have fewer characters than the window. */
  readonly #beginnings = new Set<string>();
  readonly #longest: number;

  constructor(needles: readonly Needle[]) {
    const lengths = needles.map(({ text }) => text.length);
    this.#window = lengths.reduce((least, one) => Math.min(least, one), WINDOW);
    this.#longest = lengths.reduce((most, one) => Math.max(most, one), 0);
    let leaving = 1;
    for (let i = 1; i < this.#window; i++) leaving = Math.imul(leaving, FACTOR);
    this.#leaving = leaving;
    for (const needle of needles) {
      const beginning = needle.text.slice(0, this.#window);
      this.#branches.getOrInsertComputed(beginning, () => new Branch()).add(needle, this.#window);
      this.#filter[this.#hash(beginning) & FILTER_BITS] = 1;
      for (let end = 1; end < this.#window; end++) this.#beginnings.add(beginning.slice(0, end));
    }
  }

  /**
   * Returns the occurrences of all needles, in order, without those within an earlier occurrence. Occurrences of different
   * needles may overlap. Of overlapping occurrences of one needle, only the first is returned.
   */
  find(text: string): Found[] {
    const found: Found[] = [];
    const window = this.#window;
    const last = text.length - window;
    if (last < 0 || this.#branches.size === 0) return found;
    const filter = this.#filter;
    const leaving = this.#leaving;
    let hash = this.#hash(text);
    let end = 0;
    const ends = new Map<Needle, number>();
    for (let from = 0;; from++) {
      if (filter[hash & FILTER_BITS] === 1) {
        const needle = this.#longestAt(
          text,
          from,
          (one) => from + one.text.length > end && (ends.get(one) ?? 0) <= from,
        );
        if (needle !== undefined) {
          end = from + needle.text.length;
          ends.set(needle, end);
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
    for (let from = Math.max(0, text.length - this.#longest + 1); from < text.length; from++) {
      const end = text.slice(from);
      if (end.length < this.#window ? this.#beginnings.has(end) : this.#isBeginning(end)) {
        return end.length;
      }
    }
    return 0;
  }

  /** Returns the longest needle at a position of the text that `isNew` accepts, or undefined. */
  #longestAt(
    text: string,
    from: number,
    isNew: (needle: Needle) => boolean,
  ): Needle | undefined {
    let branch = this.#branches.get(text.slice(from, from + this.#window));
    let longest: Needle | undefined;
    for (let at = from + this.#window; branch !== undefined; at++) {
      if (branch.end !== undefined && isNew(branch.end)) longest = branch.end;
      const next = branch.next.get(text.charCodeAt(at));
      if (next instanceof Branch) branch = next;
      else {
        const isFound = next !== undefined && text.startsWith(next.text, from) && isNew(next);
        return isFound ? next : longest;
      }
    }
    return longest;
  }

  #isBeginning(end: string): boolean {
    let branch = this.#branches.get(end.slice(0, this.#window));
    for (let at = this.#window; branch !== undefined && at < end.length; at++) {
      const next = branch.next.get(end.charCodeAt(at));
      if (next instanceof Branch) branch = next;
      else return next !== undefined && next.text.length > end.length && next.text.startsWith(end);
    }
    return branch !== undefined && branch.next.size > 0;
  }

  #hash(text: string): number {
    let hash = 0;
    for (let i = 0; i < this.#window; i++) {
      hash = (Math.imul(hash, FACTOR) + text.charCodeAt(i)) | 0;
    }
    return hash;
  }
}
