// Responds with texts that ship with Inkling: with an ETag, and compressed for clients that accept it.
import { isKnownTag, toEntityTag } from "../../api/operations/entity_tag.ts";

/** A text as it is sent. `zipped` is calculated at the first request for it. */
interface SentText {
  tag: string;
  zipped?: Promise<Uint8Array<ArrayBuffer>>;
}

/** The texts that were sent before. They are few, because each is part of the program. */
const sent = new Map<string, SentText>();

/** Returns the response with these headers, or 304 for a client that has the text. */
export async function respondText(
  request: Request,
  text: string,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const one: SentText = sent.get(text) ?? { tag: toEntityTag(text) };
  sent.set(text, one);
  // Browsers check the text at each use, because a newer service has a newer text. The tag is weak, because the compressed
  // and the uncompressed text have the same tag.
  const all = {
    ...headers,
    etag: `W/${one.tag}`,
    vary: "accept-encoding",
    "cache-control": "no-cache",
  };
  if (isKnownTag(one.tag, request.headers.get("if-none-match"))) {
    return new Response(null, { status: 304, headers: all });
  }
  if (!acceptsGzip(request)) return new Response(text, { headers: all });
  one.zipped ??= zip(text);
  return new Response(await one.zipped, { headers: { ...all, "content-encoding": "gzip" } });
}

function acceptsGzip({ headers }: Request): boolean {
  const accepted = (headers.get("accept-encoding") ?? "").toLowerCase().split(",");
  return accepted.some((one) => /^\s*gzip\s*(;(?!\s*q=0(\.0*)?\s*$)|$)/.test(one));
}

async function zip(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const zipped = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(zipped).arrayBuffer());
}
