// Downloads files from trusted addresses, with limits for the size and for the time without data.
import { untilAborted } from "../../base/bounded_wait.ts";
import type { Clock } from "../context/app.ts";
import { DeadlineExceeded, withDeadline } from "../context/deadline.ts";
import { commandFailed, type CommandFailure } from "../context/exit.ts";
import { isTrustworthy } from "./release_address.ts";

/** The maximum wait for the next bytes of a download. */
const SILENCE_MS = 60_000;
const MOST_REDIRECTS = 5;

/** The options that every download needs. The signal aborts the download. */
export interface FetchOptions {
  clock: Clock;
  signal: AbortSignal;
}

/**
 * Downloads a file and yields its bytes in chunks. Throws CommandFailure for a file of more than `limit` bytes or a failed
 * download, or the reason of an aborted signal.
 */
export async function* fetchChunks(
  address: URL,
  options: FetchOptions & { limit: number },
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, void> {
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
    // Ignore the error, because cancel() rejects with the error of a failed download, which is already being thrown.
    await reader.cancel().catch(() => {});
  }
  if (received < announced) throw brokeOff();
}

/** Downloads a text. Throws as fetchChunks() does. */
export async function fetchText(
  address: URL,
  options: FetchOptions & { limit: number },
): Promise<string> {
  return await new Blob(await Array.fromAsync(fetchChunks(address, options))).text();
}

/** Requests an address and follows redirects. Checks each address before the request. */
async function open(
  address: URL,
  options: FetchOptions,
): Promise<{ body: ReadableStream<Uint8Array<ArrayBuffer>>; headers: Headers }> {
  let at = address;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    if (!isTrustworthy(at, address)) {
      throw failure(address, `it redirects to ${at.origin}, which is not trusted`);
    }
    const response = await inTime(
      address,
      options,
      // Request an uncompressed response, whose content-length is the number of bytes to receive.
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

/** Runs `work`, and throws CommandFailure if it takes longer than SILENCE_MS. `describe` converts other errors. */
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
  return commandFailed(`Cannot fetch ${address}: ${reason}`, { cause });
}

/** Returns the message of the innermost cause. The outer messages only repeat the address. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : reasonOf(error.cause);
}
