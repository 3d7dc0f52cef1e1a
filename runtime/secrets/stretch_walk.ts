// Which of many stretches of a text one touches, asked from the text's beginning to its end. Linear: texts may hold thousands.

/** Indices are UTF-16 code units. */
export interface Stretch {
  from: number;
  to: number;
}

/** One walk along stretches that are in order of `from`; they may overlap. */
export class StretchWalk {
  readonly #stretches: readonly Stretch[];
  /** Those before it end where what is asked now begins, or before. */
  #first = 0;
  /** Those before it begin where what is asked now begins, or before; the furthest of their ends. */
  #begun = 0;
  #begunTo = 0;
  /** Those before it begin before the end of what is asked now; the furthest of their ends. */
  #reached = 0;
  #reachedTo = 0;

  constructor(stretches: readonly Stretch[]) {
    this.#stretches = stretches;
  }

  /**
   * `around`: the stretch together with all that it touches. `coveredTo`: how far those that begin with it or before reach.
   * Neither `from` nor `to` may be before those of the last call.
   */
  next({ from, to }: Stretch): { around: Stretch; coveredTo: number } {
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
