// Reading what a client sent: bounded in size whether or not it announced one, and in time; JSON by its media type and
// its text.
import { untilAborted, withinTime } from "../../base/bounded_wait.ts";
import type { Clock } from "../../base/clock.ts";
import { RequestRefused } from "../errors.ts";

/** The most bytes of a request body. */
export const MAX_BODY_BYTES = 1_048_576;
/** How long a body may take to arrive: a sender that never ends must not count as a request in flight for ever. */
export const BODY_TIMEOUT_MS = 30_000;

/**
 * The JSON value of a request's body; undefined when there is none. Throws RequestRefused: 400 for a body cut off, 408
 * for one that does not arrive in BODY_TIMEOUT_MS, 413 for more than MAX_BODY_BYTES, 415 for another media type, 422
 * `json_invalid` for a text that is not JSON.
 */
export async function readJsonBody(request: Request, options: { clock: Clock }): Promise<unknown> {
  const bytes = await readInTime(request, { maxBytes: MAX_BODY_BYTES, ...options });
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

/** The fields of a form that is sent as browsers do, of so many bytes at most. Throws RequestRefused, as above. */
export async function readForm(
  request: Request,
  options: { clock: Clock; maxBytes: number },
): Promise<URLSearchParams> {
  return new URLSearchParams(new TextDecoder().decode(await readInTime(request, options)));
}

/** The bytes of a body, of MAX_BODY_BYTES at most. Throws RequestRefused, as readJsonBody. */
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
  const reason = new RequestRefused(408, "The request body did not arrive in time");
  try {
    return await withinTime(
      { clock, ms: BODY_TIMEOUT_MS, reason },
      (signal) => untilAborted(readBounded(reader, maxBytes), signal),
    );
  } finally {
    // Of an oversized or late body the rest is never read. Cancelling what has broken or ended changes nothing.
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
  const limit = maxBytes === MAX_BODY_BYTES ? "1 MiB" : `${maxBytes} bytes`;
  return new RequestRefused(413, `The request body is larger than ${limit}`);
}
