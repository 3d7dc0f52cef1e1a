// Reading what a client sent: bounded in size whether or not it announced one, JSON by its type, JSON by its text.
import { RequestRefused } from "./errors.ts";

/** The most bytes of a request body. */
export const MAX_BODY_BYTES = 1_048_576;

/**
 * The JSON value of a request's body; undefined when there is none. Throws RequestRefused: 413 for more than
 * MAX_BODY_BYTES, 415 for another media type, 422 `json_invalid` for a text that is no JSON.
 */
export async function readJsonBody(request: Request): Promise<unknown> {
  if (Number(request.headers.get("content-length") ?? 0) > MAX_BODY_BYTES) throw tooLarge();
  const bytes = await readBounded(request.body);
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

async function readBounded(body: ReadableStream<Uint8Array> | null): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  if (body !== null) {
    // Leaving the loop cancels the body: the rest of an oversized one is never read.
    for await (const chunk of body) {
      size += chunk.length;
      if (size > MAX_BODY_BYTES) throw tooLarge();
      chunks.push(chunk);
    }
  }
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}

function tooLarge(): RequestRefused {
  return new RequestRefused(413, "The request body is larger than 1 MiB");
}
