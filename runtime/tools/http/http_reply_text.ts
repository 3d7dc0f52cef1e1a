// Formats an HTTP response as text for the model.
import type { Redactor } from "../../secrets/redactor.ts";
import { ToolFailure } from "../failures/tool_failure.ts";
import type { ExchangeReply } from "./http_exchange.ts";
import { isBinary, SAMPLE_BYTES } from "../../../base/text/text_content.ts";

const MAX_SHOWN_CHARACTERS = 20_000;
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

/** The text that represents the body of a response. */
export interface BodyText {
  /** Undefined for binary content. */
  text: string | undefined;
  /** Lines about the conversion of the body to this text. */
  about?: readonly string[];
}

/**
 * Returns the status line, the main headers, and MAX_SHOWN_CHARACTERS of the body's text from `offset` on. A binary body is
 * replaced by its type and size. Throws ToolFailure if the text ends before `offset`.
 */
export function formatReply(
  reply: ExchangeReply,
  options: {
    finalUrl: string | undefined;
    body: BodyText;
    offset: number;
    redactor: Redactor;
  },
): string {
  const lines = [`${reply.status} ${reply.statusText}`.trim()];
  if (options.finalUrl !== undefined) lines.push(`redirected to: ${options.finalUrl}`);
  for (const name of SHOWN_HEADERS) {
    const value = reply.headers.get(name);
    if (value !== undefined) lines.push(`${name}: ${value}`);
  }
  lines.push(...options.body.about ?? []);
  return `${lines.join("\n")}\n\n${showBody(reply, options)}`;
}

function showBody(
  { body: bytes, cut, headers }: ExchangeReply,
  { body: { text }, offset, redactor }: { body: BodyText; offset: number; redactor: Redactor },
): string {
  if (bytes.length === 0 && !text) return "(The body is empty.)";
  const size = cut ? `more than ${bytes.length}` : `${bytes.length}`;
  if (text === undefined) {
    return `(The body is binary: ${
      headers.get("content-type") || "no type given"
    }, ${size} bytes.)`;
  }
  if (offset > 0 && offset >= text.length) {
    throw new ToolFailure(
      `The text ends before offset ${offset}: it has ${text.length} characters.`,
    );
  }
  const start = offset === 0 ? 0 : redactor.safeStart(text, offset);
  const head = redactor.beginningOf(text.slice(start), MAX_SHOWN_CHARACTERS);
  const end = start + head.length;
  const source = cut ? ` The body has ${size} bytes; the others were not read.` : "";
  if (end < text.length) {
    return `${head}\n(The text is cut here: characters ${start} to ${end} of ${text.length} are shown. ` +
      `offset: ${end} shows more.${source})`;
  }
  return cut ? `${redactor.trimPartialSecret(head)}\n(The text ends here.${source})` : head;
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
export function decodeText(body: Uint8Array, type: string): string | undefined {
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
