// Finds the ranges of a text that touch each of a series of queries. Takes linear time, because a text may contain
// thousands of ranges.

/** A range of a text, in UTF-16 code units: `from` up to, but excluding, `to`. */
export interface TextRange {
  from: number;
  to: number;
}

/** A single walk along ranges. The ranges are ordered by `from` and may overlap. */
export class RangeWalk {
  readonly #stretches: readonly TextRange[];
  /** The index of the first range that ends after the beginning of the query. */
  #first = 0;
  /**
   * The index of the first range that begins after the beginning of the query. `#begunTo` is the furthest end of the ranges
   * before the index.
   */
  #begun = 0;
  #begunTo = 0;
  /**
   * The index of the first range that begins at or after the end of the query. `#reachedTo` is the furthest end of the
   * ranges before the index.
   */
  #reached = 0;
  #reachedTo = 0;

  constructor(stretches: readonly TextRange[]) {
    this.#stretches = stretches;
  }

  /**
   * Returns the query extended by all ranges that it touches (`around`), and the furthest end of the ranges that begin no
   * later than the query (`coveredTo`). `from` and `to` must not be less than in the previous call.
   */
  next({ from, to }: TextRange): { around: TextRange; coveredTo: number } {
    const all = this.#stretches;
    for (let one; (one = all[this.#first]) !== undefined && one.to <= from;) this.#first++;
    for (let one; (one = all[this.#begun]) !== undefined && one.from <= from; this.#begun++) {
      this.#begunTo = Math.max(this.#begunTo, one.to);
    }
    for (let one; (one = all[this.#reached]) !== undefined && one.from < to; this.#reached++) {
      this.#reachedTo = Math.max(this.#reachedTo, one.to);
    }
    const first = Math.min(from, all[this.#first]?.from ?? from);
    return { around: { from: first, to: Math.max(to, this.#reachedTo) }, coveredTo: this.#begunTo };
  }
}
