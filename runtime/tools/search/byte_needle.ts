// Finds a text in the bytes of a file. Decoding all files of a search would take several times as long.

/** The minimum number of bytes. In a shorter text, a search cannot leap over enough bytes to be fast. */
const MIN_BYTES = 4;
/** The number of bytes to compare. It limits the time of a text that nearly matches at each position. */
const MAX_BYTES = 32;

/** The end of a text, to be found by the algorithm of Horspool, which compares from the last byte and leaps ahead. */
export class ByteNeedle {
  readonly #bytes: Uint8Array;
  /** The leap for each value of the byte that is aligned with the last byte. */
  readonly #leaps: Uint8Array;

  private constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#leaps = new Uint8Array(256).fill(bytes.length);
    for (const [at, byte] of bytes.subarray(0, -1).entries()) {
      this.#leaps[byte] = bytes.length - 1 - at;
    }
  }

  /** Returns the needle of a text. Undefined if the text is too short, or may be in a text whose bytes are not UTF-8. */
  static of(text: string): ByteNeedle | undefined {
    const bytes = new TextEncoder().encode(text).slice(-MAX_BYTES);
    return bytes.length < MIN_BYTES || text.includes("\ufffd") ? undefined : new ByteNeedle(bytes);
  }

  /** Returns true if the end of the text is in the bytes. */
  isIn(bytes: Uint8Array): boolean {
    const needle = this.#bytes;
    const last = needle.length - 1;
    for (let at = last; at < bytes.length; at += this.#leaps[bytes[at]!]!) {
      let back = 0;
      while (bytes[at - back] === needle[last - back]) if (++back > last) return true;
    }
    return false;
  }
}
