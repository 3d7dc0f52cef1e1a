// Decodes a delivery's body by its `Content-Encoding`, up to a limit. Signatures cover the bytes as received.
import type { UnreadableDelivery } from "./delivery.ts";

/** The largest decoded body, in bytes. */
export const MAX_DECODED_BYTES = 1_048_576;
/** The number of bytes decompressed at a time. Each may become a thousand. */
const SLICE_BYTES = 1_024;

type Bytes = Uint8Array<ArrayBuffer>;

/** The compression formats by their names in RFC 9110, in the order to try. Some senders omit the frame of `deflate`. */
const FORMATS: Readonly<Record<string, readonly CompressionFormat[]>> = {
  gzip: ["gzip"],
  "x-gzip": ["gzip"],
  deflate: ["deflate", "deflate-raw"],
};

/** Returns the decoded bytes, or the reason why the body cannot be decoded. */
export async function decodeBody(
  { headers, body }: { headers: Headers; body: Bytes },
): Promise<Bytes | UnreadableDelivery> {
  const encoding = headers.get("content-encoding")?.trim().toLowerCase() ?? "";
  if (encoding === "" || encoding === "identity") return body;
  const formats = Object.hasOwn(FORMATS, encoding) ? FORMATS[encoding] ?? [] : [];
  if (formats.length === 0) {
    return { status: 415, reason: "Content-Encoding must be gzip, deflate or identity" };
  }
  for (const format of formats) {
    const decoded = await decompress(body, format);
    if (decoded === "too large") {
      return { status: 413, reason: "The body is larger than 1 MiB when it is decompressed" };
    }
    if (decoded !== undefined) return decoded;
  }
  return { status: 400, reason: `The body is not valid ${encoding}` };
}

/** Returns undefined for bytes in another format. */
async function decompress(
  body: Bytes,
  format: CompressionFormat,
): Promise<Bytes | "too large" | undefined> {
  const { writable, readable } = new DecompressionStream(format);
  const writer = writable.getWriter();
  const reader = readable.getReader();
  // A failure here also fails the reader, or no longer matters.
  writeSlices(writer, body).catch(() => {});
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.length;
      if (size > MAX_DECODED_BYTES) return "too large";
      chunks.push(value);
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return undefined;
  } finally {
    reader.cancel().catch(() => {/* It has ended, or was no such stream. */});
  }
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}

async function writeSlices(writer: WritableStreamDefaultWriter<BufferSource>, body: Bytes) {
  for (let at = 0; at < body.length; at += SLICE_BYTES) {
    await writer.write(body.slice(at, at + SLICE_BYTES));
  }
  await writer.close();
}
