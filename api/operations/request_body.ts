// Reads request bodies as JSON, form or bytes, with limits on size and time.
import { untilAborted, withinTime } from "../../base/bounded_wait.ts";
import type { Clock } from "../../base/clock.ts";
import { RequestRefused } from "../errors.ts";

/** The maximum size of a request body in bytes. */
export const MAX_BODY_BYTES = 1_048_576;
/** The time limit of reading a body in milliseconds, so that no request is in flight forever. */
export const BODY_TIMEOUT_MS = 30_000;

/**
 * Returns the JSON value of a body, or undefined for an empty body. Throws RequestRefused: 400 for a truncated body, 408
 * after BODY_TIMEOUT_MS, 413 for more than `maxBytes`, 415 for another media type, 422 `json_invalid` for invalid JSON.
 */
export async function readJsonBody(
  request: Request,
  options: { clock: Clock; maxBytes?: number | undefined },
): Promise<unknown> {
  const { clock, maxBytes = MAX_BODY_BYTES } = options;
  const bytes = await readInTime(request, { clock, maxBytes });
  if (bytes.length === 0) return undefined;
  const mediaType = (request.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase();
  if (!/^application\/(json|[\w.!#$&^+-]+\+json)$/.test(mediaType ?? "")) {
    throw new RequestRefused(415, "Content-Type must be application/json");
  }
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
    const msg = `The body is not valid JSON: ${error.message}`;
    throw new RequestRefused(422, [{ type: "json_invalid", loc: ["body"], msg, input: null }]);
  }
}

/** Returns the fields of a URL-encoded form of at most `maxBytes`. Throws RequestRefused: 400, 408 or 413. */
export async function readForm(
  request: Request,
  options: { clock: Clock; maxBytes: number },
): Promise<URLSearchParams> {
  return new URLSearchParams(new TextDecoder().decode(await readInTime(request, options)));
}

/** Returns the bytes of a body of at most MAX_BODY_BYTES. Throws RequestRefused: 400, 408 or 413. */
export async function readBytes(
  request: Request,
  options: { clock: Clock },
): Promise<Uint8Array<ArrayBuffer>> {
  return await readInTime(request, { maxBytes: MAX_BODY_BYTES, ...options });
}

async function readInTime(
  { body, headers }: Request,
  { clock, maxBytes }: { clock: Clock; maxBytes: number },
): Promise<Uint8Array<ArrayBuffer>> {
  if (Number(headers.get("content-length") ?? 0) > maxBytes) throw tooLarge(maxBytes);
  if (body === null) return new Uint8Array();
  const reader = body.getReader();
  const reason = () => new RequestRefused(408, "The request body did not arrive in time");
  try {
    return await withinTime(
      { clock, ms: BODY_TIMEOUT_MS, reason },
      (signal) => untilAborted(readBounded(reader, maxBytes), signal),
    );
  } finally {
    // Discard the rest of an oversized or late body. Has no effect on a body that has ended or failed.
    reader.cancel().catch(() => {});
  }
}

async function readBounded(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read().catch((cause) => {
      throw new RequestRefused(400, "The request body was cut off", { cause });
    });
    if (done) break;
    size += value.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(value);
  }
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}

function tooLarge(maxBytes: number): RequestRefused {
  const limit = maxBytes % MAX_BODY_BYTES === 0
    ? `${maxBytes / MAX_BODY_BYTES} MiB`
    : `${maxBytes} bytes`;
  return new RequestRefused(413, `The request body is larger than ${limit}`);
}
