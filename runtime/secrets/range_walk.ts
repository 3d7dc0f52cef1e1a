// A walk over many ranges of a text that finds the ranges touching each query. Linear, because texts may contain
// thousands.

/** A range of UTF-16 code units. */
export interface TextRange {
  from: number;
  to: number;
}

/** One walk along ranges in the order of `from`; they may overlap. */
export class RangeWalk {
  readonly #stretches: readonly TextRange[];
  /** Ranges before this index end at or before the query's beginning. */
  #first = 0;
  /** Ranges before this index begin at or before the query's beginning; `#begunTo` is their furthest end. */
  #begun = 0;
  #begunTo = 0;
  /** Ranges before this index begin before the query's end; `#reachedTo` is their furthest end. */
  #reached = 0;
  #reachedTo = 0;

  constructor(stretches: readonly TextRange[]) {
    this.#stretches = stretches;
  }

  /**
   * Returns the query joined with all ranges that it touches (`around`), and the furthest end of the ranges that begin at
   * or before it (`coveredTo`). Neither `from` nor `to` may be less than in the last call.
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
