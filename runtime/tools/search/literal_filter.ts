// Tests quickly if a text can match a pattern: if it contains the literals that each match contains. A worker tests with the
// same code, so this module imports nothing.

/** Texts of which each match contains at least one. */
export type Alternatives = readonly string[];

/** The literals of a pattern as characters from 0 to 255, which are the bytes of UTF-8. They can be sent to a worker. */
export interface ByteLiterals {
  /** The literals. Empty: letter case does not matter. */
  texts: readonly Alternatives[];
  /** Find the literals. */
  expressions: readonly RegExp[];
}

/** The number of characters of a piece. V8 finds a text of at most 6 characters by a search for its first character. */
const PIECE_CHARACTERS = 6;

/** The test of texts whose characters are the bytes of UTF-8. */
export class LiteralFilter {
  readonly literals: ByteLiterals;
  /** Pieces of the literals that begin with a rare character, which takes a fraction of the time to find. */
  #pieces: readonly Alternatives[] = [];
  /** The length of the text whose rare characters the pieces begin with. */
  #sampled = 0;

  constructor(literals: ByteLiterals) {
    this.literals = literals;
  }

  /** Returns false if no line of the text matches, because a literal is missing. */
  mayMatch(text: string): boolean {
    const { texts, expressions } = this.literals;
    if (texts.length === 0) return expressions.every((one) => text.search(one) >= 0);
    // The first texts may be too short to show the rare characters.
    if (text.length > 2 * this.#sampled) {
      this.#sampled = text.length;
      this.#pieces = texts.map((some) => some.map((one) => rarePiece(one, text)));
    }
    return this.#pieces.every((some) => some.some((one) => text.includes(one)));
  }
}

/** Returns a piece of a literal, of at least two characters if possible. It begins with the character that is rarest in a text. */
function rarePiece(literal: string, text: string): string {
  const starts = Array.from(
    literal.slice(0, -1),
    (one, at) => ({ at, count: text.split(one).length }),
  );
  const rarest = starts.reduce((a, b) => b.count < a.count ? b : a, { at: 0, count: Infinity });
  return literal.slice(rarest.at, rarest.at + PIECE_CHARACTERS);
}
