// Fetching from the release address: limited in size and in silence, from trustworthy addresses only.
import { untilAborted } from "../../base/bounded_wait.ts";
import type { Clock } from "../app.ts";
import { DeadlineExceeded, withDeadline } from "../deadline.ts";
import { CommandFailure, EXIT } from "../exit.ts";
import { isTrustworthy } from "./release_address.ts";

/** Without a byte for so long, nothing more will come. */
const SILENCE_MS = 60_000;
const MOST_REDIRECTS = 5;

/** What every fetch is given. */
export interface FetchOptions {
  clock: Clock;
  signal: AbortSignal;
}

/** The chunks of a file on the web, `limit` bytes at most. Throws CommandFailure, or the reason of the signal. */
export async function* fetchChunks(
  address: URL,
  options: FetchOptions & { limit: number },
): AsyncGenerator<Uint8Array, void, void> {
  const { limit } = options;
  const { body, headers } = await open(address, options);
  const announced = Number(headers.get("content-length") ?? NaN);
  const reader = body.getReader();
  let received = 0;
  const brokeOff = () => failure(address, `the connection broke after ${received} bytes`);
  try {
    if (announced > limit) throw tooLarge(address, limit);
    for (;;) {
      const chunk = await inTime(address, options, () => reader.read(), brokeOff);
      if (chunk.done) break;
      received += chunk.value.length;
      if (received > limit) throw tooLarge(address, limit);
      yield chunk.value;
    }
  } finally {
    // Where the download failed, cancelling the rest fails with the same error, which is already on its way.
    await reader.cancel().catch(() => {});
  }
  if (received < announced) throw brokeOff();
}

/** The response after all redirects, each of which is checked before it is followed. */
async function open(
  address: URL,
  options: FetchOptions,
): Promise<{ body: ReadableStream<Uint8Array>; headers: Headers }> {
  let at = address;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    if (!isTrustworthy(at, address)) {
      throw failure(address, `it redirects to ${at.origin}, which is not trusted`);
    }
    const response = await inTime(
      address,
      options,
      // The number of bytes that is announced must be the number that arrives.
      (signal) =>
        fetch(at, { redirect: "manual", headers: { "accept-encoding": "identity" }, signal }),
      (cause) => failure(address, reasonOf(cause), cause),
    );
    const { status, body, headers } = response;
    if (response.ok && body !== null) return { body, headers };
    await body?.cancel();
    const location = headers.get("location");
    if (status < 300 || status > 399 || location === null) {
      throw failure(address, `the server answered ${status}`);
    }
    if (!URL.canParse(location, at)) throw failure(address, "it redirects to an invalid address");
    at = new URL(location, at);
  }
  throw failure(address, "there are too many redirects");
}

/** The result of `work`, which must not take long; `describe` says what else went wrong with it. */
async function inTime<T>(
  address: URL,
  { clock, signal }: FetchOptions,
  work: (signal: AbortSignal) => Promise<T>,
  describe: (cause: unknown) => CommandFailure,
): Promise<T> {
  try {
    return await withDeadline(clock, (limit) => untilAborted(work(limit), limit), {
      ms: SILENCE_MS,
      signal,
    });
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof DeadlineExceeded) {
      throw failure(address, "the server stopped sending", cause);
    }
    throw describe(cause);
  }
}

function tooLarge(address: URL, limit: number): CommandFailure {
  return failure(address, `it has more than ${limit} bytes`);
}

function failure(address: URL, reason: string, cause?: unknown): CommandFailure {
  return new CommandFailure(EXIT.failed, `Cannot fetch ${address}: ${reason}`, { cause });
}

/** The innermost reason: what stands around it repeats the address. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : reasonOf(error.cause);
}
