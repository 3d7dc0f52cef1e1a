// Downloads from the release address, with limits for the size and the silence, from trusted addresses only.
import { untilAborted } from "../../base/bounded_wait.ts";
import type { Clock } from "../context/app.ts";
import { DeadlineExceeded, withDeadline } from "../context/deadline.ts";
import { CommandFailure, EXIT } from "../context/exit.ts";
import { isTrustworthy } from "./release_address.ts";

/** The longest wait for the next bytes. */
const SILENCE_MS = 60_000;
const MOST_REDIRECTS = 5;

/** The options of every download. */
export interface FetchOptions {
  clock: Clock;
  signal: AbortSignal;
}

/** Downloads a file of at most `limit` bytes in chunks. Throws CommandFailure, or the reason of the signal. */
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
    // After a failed download the cancel fails with the same error, which is already thrown.
    await reader.cancel().catch(() => {});
  }
  if (received < announced) throw brokeOff();
}

/** Requests an address and follows redirects. Each is checked first. */
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
      // Without compression content-length is the number of received bytes.
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

/** Runs `work` with the time limit of silence. `describe` converts its other errors. */
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

/** Returns the message of the innermost cause, because the outer messages repeat the address. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : reasonOf(error.cause);
}
