// Sends the page's requests to the API. Paths are relative to the page, so that a proxy may serve page and API under any
// path.

/** The statuses with which a proxy reports that the service does not answer. */
const GATEWAY_STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);

/**
 * Sends a request to a path relative to the page. Rejects if there is no response, or if a proxy reports that the service
 * does not answer.
 */
export async function fetchRelative(path: string, init: RequestInit): Promise<Response> {
  const response = await fetch(path.slice(1), { ...init, cache: "no-store" });
  if (GATEWAY_STATUSES.has(response.status) && !(await isFromService(response))) {
    throw new TypeError(`A proxy answered ${response.status}`);
  }
  return response;
}

/** Returns true if the service itself sent a 503, which it does while it stops. */
async function isFromService(response: Response): Promise<boolean> {
  if (response.status !== 503) return false;
  const body: unknown = await response.clone().json().catch(() => null);
  return typeof body === "object" && body !== null && "detail" in body;
}

// A polyfill for `for await` over a ReadableStream, which older versions of Safari do not support.

/** Makes ReadableStream iterable if the browser does not. */
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
    // The consumer has left the loop before the end.
    if (!isOver) await reader.cancel();
    reader.releaseLock();
  }
}
