// Formats an HTTP response as text for the model.
import { beginningOf } from "../../../base/text/cut_text.ts";
import type { Redactor } from "../../secrets/redactor.ts";
import type { ExchangeReply } from "./http_exchange.ts";
import { isBinary } from "../../../base/text/text_content.ts";

const MAX_SHOWN_CHARACTERS = 20_000;
const SAMPLE_BYTES = 8 * 1024;
const SHOWN_HEADERS = [
  "content-type",
  "content-length",
  "last-modified",
  "etag",
  "location",
  "link",
  "retry-after",
  "www-authenticate",
];

/**
 * Returns the status line, the main headers and the body as text; a long body is cut. `shown` replaces the body if it is
 * set. A binary body is replaced by its type and size.
 */
export function formatReply(
  reply: ExchangeReply,
  options: { finalUrl: string | undefined; shown: string | undefined; redactor: Redactor },
): string {
  const lines = [`${reply.status} ${reply.statusText}`.trim()];
  if (options.finalUrl !== undefined) lines.push(`redirected to: ${options.finalUrl}`);
  for (const name of SHOWN_HEADERS) {
    const value = reply.headers.get(name);
    if (value !== undefined) lines.push(`${name}: ${value}`);
  }
  return `${lines.join("\n")}\n\n${showBody(reply, options)}`;
}

function showBody(
  reply: ExchangeReply,
  { shown, redactor }: { shown: string | undefined; redactor: Redactor },
): string {
  const { body, cut } = reply;
  if (body.length === 0) return "(The body is empty.)";
  const size = cut ? `more than ${body.length}` : `${body.length}`;
  const type = reply.headers.get("content-type") ?? "";
  const text = shown ?? decodeText(body, type);
  if (text === undefined) return `(The body is binary: ${type || "no type given"}, ${size} bytes.)`;
  if (!cut && text.length <= MAX_SHOWN_CHARACTERS) return text;
  const head = redactor.trimPartialSecret(beginningOf(text, MAX_SHOWN_CHARACTERS));
  return `${head}\n(The body is cut here: ${head.length} characters are shown of ` +
    `${size} bytes. Request a part of it, if the server supports that.)`;
}

/** The byte order marks of text encodings, as Latin-1 text, with the encodings' names. */
const MARKS: readonly (readonly [string, string])[] = [
  ["\xef\xbb\xbf", "utf-8"],
  ["\xfe\xff", "utf-16be"],
  ["\xff\xfe", "utf-16le"],
];
/** Matches the encoding that a document declares at its beginning, in HTML, XML or CSS syntax. */
const DECLARED =
  /<meta\b[^>]{0,300}?\bcharset\s*=\s*["']?\s*([\w:.-]+)|^\s*<\?xml\b[^>]{0,100}?\bencoding\s*=\s*["']([\w:.-]+)|^@charset\s+"([\w:.-]+)"/i;

/**
 * Decodes a body. The encoding is given by its byte order mark, the charset in the content type, or the document's
 * declaration. Returns undefined for binary content.
 */
function decodeText(body: Uint8Array, type: string): string | undefined {
  const sample = body.subarray(0, SAMPLE_BYTES);
  const decoder = openDecoder(charsetOf(sample, type));
  const utf8 = decoder.encoding === "utf-8";
  if (utf8 ? isBinary(sample) : !/^(text|application)\//i.test(type)) return undefined;
  return decoder.decode(body);
}

function charsetOf(sample: Uint8Array, type: string): string {
  const begin = new TextDecoder("latin1").decode(sample);
  const marked = MARKS.find(([mark]) => begin.startsWith(mark))?.[1];
  const named = marked ?? /charset\s*=\s*"?([^\s;"]+)/i.exec(type)?.[1];
  if (named !== undefined) return named;
  const declared = DECLARED.exec(begin)?.slice(1).find((one) => one !== undefined) ?? "utf-8";
  // The declaration was read as Latin-1, so the document cannot be in UTF-16.
  return /^utf-?16/i.test(declared) ? "utf-8" : declared;
}

function openDecoder(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    // If the charset is unknown, UTF-8 is the most likely encoding.
    return new TextDecoder();
  }
}
