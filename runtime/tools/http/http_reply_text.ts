// Formats a web server's reply as text for the model.
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
 * Returns the status line, the main headers, and the body as text, cut when it is long. `shown` replaces the body's text. A
 * binary body is only described.
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

/** The byte order marks of text encodings. */
const MARKS: readonly (readonly [string, string])[] = [
  ["\xef\xbb\xbf", "utf-8"],
  ["\xfe\xff", "utf-16be"],
  ["\xff\xfe", "utf-16le"],
];
/** Matches the encoding that HTML, XML or a style sheet declares at its beginning. */
const DECLARED =
  /<meta\b[^>]{0,300}?\bcharset\s*=\s*["']?\s*([\w:.-]+)|^\s*<\?xml\b[^>]{0,100}?\bencoding\s*=\s*["']([\w:.-]+)|^@charset\s+"([\w:.-]+)"/i;

/** Decodes text by its byte order mark, the type's charset, or its own declaration. Returns undefined for binary content. */
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
  // A declaration that is readable as ASCII cannot be in UTF-16.
  return /^utf-?16/i.test(declared) ? "utf-8" : declared;
}

function openDecoder(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    // For an unknown charset UTF-8 is most likely.
    return new TextDecoder();
  }
}
