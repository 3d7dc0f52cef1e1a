// The streams of the API are read with `for await`, which Safari's streams learnt late. Where they cannot do it, they are
// taught, as the Streams standard says.

/** Makes streams iterable where the browser does not. */
export function makeStreamsIterable(): void {
  if (Symbol.asyncIterator in ReadableStream.prototype) return;
  Object.defineProperty(ReadableStream.prototype, Symbol.asyncIterator, { value: iterate });
}

async function* iterate<T>(this: ReadableStream<T>): AsyncGenerator<T, void, void> {
  const reader = this.getReader();
  let isOver = false;
  try {
    for (;;) {
      const { value, done } = await reader.read();
      isOver = done;
      if (done) return;
      yield value;
    }
  } finally {
    // Whoever leaves early wants no more of it.
    if (!isOver) await reader.cancel();
    reader.releaseLock();
  }
}
