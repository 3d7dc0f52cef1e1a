// What a program prints, as text, up to a limit; the rest is read and dropped, so that the program never blocks.

/** The room that the streams of one program share. */
export class OutputRoom {
  #left: number;
  #cut = false;

  /** `bytes` is the most that is kept of all streams together. */
  constructor(bytes: number) {
    this.#left = bytes;
  }

  /** Whether something did not fit. */
  get cut(): boolean {
    return this.#cut;
  }

  /** As much of the beginning as there is room for. */
  take(chunk: Uint8Array): Uint8Array {
    if (chunk.length > this.#left) this.#cut = true;
    const taken = chunk.subarray(0, this.#left);
    this.#left -= taken.length;
    return taken;
  }
}

/** One stream that is being read. */
export class CapturedOutput {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  /** Settles when the stream has ended or was let go. */
  readonly ended: Promise<void>;
  readonly #begun = Promise.withResolvers<void>();
  #text = "";
  #letGo = false;
  #torn = true;

  constructor(stream: ReadableStream<Uint8Array>, room: OutputRoom) {
    this.#reader = stream.getReader();
    this.ended = this.#read(room);
  }

  /** Resolves when something was read, or the stream has ended. */
  get begun(): Promise<void> {
    return this.#begun.promise;
  }

  /** What was read until now; a character that the limit tore is left out. */
  get text(): string {
    return this.#text;
  }

  /** Whether there was more of it, or may have been: it was cut, let go, or still continues. */
  get torn(): boolean {
    return this.#torn;
  }

  /** Reads no more: an unknown process may hold the other end for ever. */
  async letGo(): Promise<void> {
    this.#letGo = true;
    await this.#reader.cancel();
    await this.ended;
  }

  async #read(room: OutputRoom): Promise<void> {
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
