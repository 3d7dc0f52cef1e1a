// A stream of bytes as lines of text.

/** The lines of a stream, without their ends; the rest after the last one is dropped. */
export async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  // Left to itself, a decoder of Deno drops a byte order mark at the beginning of every chunk.
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let rest = "";
  for await (const chunk of stream) {
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
