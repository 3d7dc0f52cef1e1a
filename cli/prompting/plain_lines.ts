// Reads lines from a stream without editing, for piped standard input.
import { untilAborted } from "../../base/bounded_wait.ts";
import type { LineSource } from "../context/input.ts";

/**
 * A source of the lines of a UTF-8 stream. Lines are returned without their line breaks. The stream may end without a line
 * break.
 */
export class PlainLines implements LineSource {
  readonly #reader: ReadableStreamDefaultReader<string>;
  #lines: string[] = [];
  #rest = "";
  #isOver = false;

  constructor(stream: ReadableStream<Uint8Array<ArrayBuffer>>) {
    this.#reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  }

  async read(
    _prompt: string,
    { signal }: { signal: AbortSignal },
  ): Promise<string | undefined> {
    signal.throwIfAborted();
    while (this.#lines.length === 0 && !this.#isOver) {
      const { value, done } = await untilAborted(this.#reader.read(), signal);
      if (done) this.#end();
      else this.#add(value);
    }
    return this.#lines.shift();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reader.cancel();
  }

  #add(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    this.#lines.push(...lines.map((line) => line.replace(/\r$/, "")));
  }

  #end(): void {
    this.#isOver = true;
    if (this.#rest !== "") this.#lines.push(this.#rest);
    this.#rest = "";
  }
}
