// The output of a program as text, up to a limit. Output over the limit is read and dropped, so that the program never
// blocks.

/** The space that the streams of one program share. */
export class OutputSpace {
  #left: number;
  #cut = false;

  /** `bytes` is the maximum kept of all streams together. */
  constructor(bytes: number) {
    this.#left = bytes;
  }

  /** True if some output did not fit. */
  get cut(): boolean {
    return this.#cut;
  }

  /** Returns as much of the chunk's beginning as there is space for. */
  take(chunk: Uint8Array): Uint8Array {
    if (chunk.length > this.#left) this.#cut = true;
    const taken = chunk.subarray(0, this.#left);
    this.#left -= taken.length;
    return taken;
  }
}

/** One output stream that is being read. */
export class CapturedOutput {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  /** Settles when the stream has ended or was released. */
  readonly ended: Promise<void>;
  readonly #begun = Promise.withResolvers<void>();
  #text = "";
  #letGo = false;
  #torn = true;

  constructor(stream: ReadableStream<Uint8Array>, room: OutputSpace) {
    this.#reader = stream.getReader();
    this.ended = this.#read(room);
  }

  /** Resolves at the first bytes, or at the stream's end. */
  get begun(): Promise<void> {
    return this.#begun.promise;
  }

  /** The text read so far, without a character that the limit split. */
  get text(): string {
    return this.#text;
  }

  /** True if the text may be incomplete: it was cut, the stream was released, or it still continues. */
  get torn(): boolean {
    return this.#torn;
  }

  /** Stops reading: an unknown process may hold the other end open for ever. */
  async release(): Promise<void> {
    this.#letGo = true;
    await this.#reader.cancel();
    await this.ended;
  }

  async #read(room: OutputSpace): Promise<void> {
    let isCut = false;
    for (;;) {
      const { value, done } = await this.#reader.read();
      this.#begun.resolve();
      if (done) {
        this.#torn = isCut || this.#letGo;
        return;
      }
      const taken = room.take(value);
      isCut ||= taken.length < value.length;
      this.#text += this.#decoder.decode(taken, { stream: true });
    }
  }
}
