// The body of a reply: decompressed, counted, and cut at a limit.
import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";

/** What of a reply its body is read from. */
export type ReplyStream = Readable & Pick<IncomingMessage, "headers">;

/** Reads at most `maxBytes` of what the body decompresses to; `cut` tells of more. Rejects for one that is broken. */
export async function readBody(
  message: ReplyStream,
  { method, maxBytes }: { method: string; maxBytes: number },
): Promise<{ body: Uint8Array; cut: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const stream = method === "HEAD" ? message : decoded(message);
  for await (const chunk of stream) {
    const piece: Uint8Array = chunk;
    chunks.push(piece.subarray(0, maxBytes - size));
    size += piece.length;
    if (size > maxBytes) {
      stream.destroy();
      break;
    }
  }
  const body = new Uint8Array(Math.min(size, maxBytes));
  let at = 0;
  for (const chunk of chunks) {
    body.set(chunk, at);
    at += chunk.length;
  }
  return { body, cut: size > maxBytes };
}

/** Servers may compress although we ask them not to. What comes out is counted, so a small bomb stays small. */
function decoded(message: ReplyStream): Readable {
  const encoding = message.headers["content-encoding"]?.trim().toLowerCase();
  const decoder = encoding === "gzip" || encoding === "x-gzip"
    ? createGunzip()
    : encoding === "deflate"
    ? createInflate()
    : encoding === "br"
    ? createBrotliDecompress()
    : undefined;
  if (decoder === undefined) return message;
  message.on("error", (error) => decoder.destroy(error));
  return message.pipe(decoder);
}
