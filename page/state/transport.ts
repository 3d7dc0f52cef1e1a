// How the page reaches the API: at its own origin, beside itself, so that a proxy may put both under any path.
/** What a proxy answers when the service behind it does not. */
const GATEWAY_STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);

/** Requests relative to the page. Rejects when nobody answers, be it that a proxy says so. */
export async function fetchBesideThePage(path: string, init: RequestInit): Promise<Response> {
  const response = await fetch(path.slice(1), { ...init, cache: "no-store" });
  if (GATEWAY_STATUSES.has(response.status) && !(await isOfTheService(response))) {
    throw new TypeError(`A proxy answered ${response.status}`);
  }
  return response;
}

/** The service itself says 503 while it stops; that is an answer. */
async function isOfTheService(response: Response): Promise<boolean> {
  if (response.status !== 503) return false;
  const body: unknown = await response.clone().json().catch(() => null);
  return typeof body === "object" && body !== null && "detail" in body;
}

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
