// Bytes that arrive in pieces, to lines. Every byte is looked at once, and a line that does not end is not kept for ever.

/** Cuts a stream of bytes at its line feeds. */
export class LineSplitter {
  readonly #maxBytes: number;
  /** The beginning of the line that has not ended yet. */
  #pieces: Uint8Array[] = [];
  #size = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Takes the next piece; returns the lines that end in it, as text. Throws RangeError for a line over the limit. */
  push(piece: Uint8Array): string[] {
    const lines: string[] = [];
    let start = 0;
    for (;;) {
      const end = piece.indexOf(0x0a, start);
      this.#add(piece.subarray(start, end < 0 ? undefined : end));
      if (end < 0) return lines;
      lines.push(this.#take());
      start = end + 1;
    }
  }

  #add(piece: Uint8Array): void {
    this.#size += piece.length;
    if (this.#size > this.#maxBytes) {
      this.#pieces = [];
      throw new RangeError(`a line of its output is over ${this.#maxBytes / 1024 / 1024} MB`);
    }
    if (piece.length > 0) this.#pieces.push(piece);
  }

  #take(): string {
    const line = new Uint8Array(this.#size);
    let at = 0;
    for (const piece of this.#pieces) {
      line.set(piece, at);
      at += piece.length;
    }
    this.#pieces = [];
    this.#size = 0;
    return new TextDecoder().decode(line);
  }
}
