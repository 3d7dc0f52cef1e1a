// Splits a stream of bytes into lines of text.

/** Yields the lines of a stream without their line endings. Drops an unfinished last line. */
export async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  // By default Deno's decoder drops a byte order mark at the beginning of every chunk.
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let rest = "";
  for await (const chunk of stream) {
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
