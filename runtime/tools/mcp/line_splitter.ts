// Splits chunks of bytes into lines. Reads every byte once, and limits an unfinished line.

/** Splits a stream of bytes at its line feeds. */
export class LineSplitter {
  readonly #maxBytes: number;
  /** The pieces of the unfinished line. */
  #pieces: Uint8Array[] = [];
  #size = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Adds the next piece, and returns the lines that it completes. Throws RangeError for a line over the limit. */
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
