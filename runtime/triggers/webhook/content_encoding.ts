// Decompresses the body of a delivery according to its `Content-Encoding`, up to MAX_DECODED_BYTES. Signatures are verified
// on the compressed bytes.
import type { UnreadableDelivery } from "./delivery.ts";
import { ownValue } from "../../../base/json.ts";

/** The maximum size of a decompressed body, in bytes. */
export const MAX_DECODED_BYTES = 1_048_576;
/** The number of bytes to decompress at a time. One byte may expand to a thousand, so small slices keep the limit exact. */
const SLICE_BYTES = 1_024;

type Bytes = Uint8Array<ArrayBuffer>;

/** The compression formats to try, in order, by their names in RFC 9110. Some senders omit the zlib header of `deflate`. */
const FORMATS: Readonly<Record<string, readonly CompressionFormat[]>> = {
  gzip: ["gzip"],
  "x-gzip": ["gzip"],
  deflate: ["deflate", "deflate-raw"],
};

/** Returns the decompressed body, or the reason why it cannot be decompressed. */
export async function decodeBody(
  { headers, body }: { headers: Headers; body: Bytes },
): Promise<Bytes | UnreadableDelivery> {
  const encoding = headers.get("content-encoding")?.trim().toLowerCase() ?? "";
  if (encoding === "" || encoding === "identity") return body;
  const formats = ownValue(FORMATS, encoding) ?? [];
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

/**
 * Returns the decompressed bytes, `too large` above MAX_DECODED_BYTES, or undefined if the bytes do not have this format.
 */
async function decompress(
  body: Bytes,
  format: CompressionFormat,
): Promise<Bytes | "too large" | undefined> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  try {
    const slices = ReadableStream.from(slicesOf(body));
    for await (const chunk of slices.pipeThrough(new DecompressionStream(format))) {
      size += chunk.length;
      if (size > MAX_DECODED_BYTES) return "too large";
      chunks.push(chunk);
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return undefined;
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

function* slicesOf(body: Bytes): Generator<Bytes> {
  for (let at = 0; at < body.length; at += SLICE_BYTES) yield body.slice(at, at + SLICE_BYTES);
}
