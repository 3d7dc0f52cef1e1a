// A web server's reply as text for a model.
import { beginningOf } from "../../../base/text/cut_text.ts";
import type { Redactor } from "../../secrets/redactor.ts";
import type { ExchangeReply } from "./http_exchange.ts";
import { isBinary } from "../text_content.ts";

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

/** Status line, main headers, and the body as text, cut where it gets long; a binary body is only described. */
export function showReply(
  reply: ExchangeReply,
  options: { finalUrl: string | undefined; redactor: Redactor },
): string {
  const lines = [`${reply.status} ${reply.statusText}`.trim()];
  if (options.finalUrl !== undefined) lines.push(`redirected to: ${options.finalUrl}`);
  for (const name of SHOWN_HEADERS) {
    const value = reply.headers.get(name);
    if (value !== undefined) lines.push(`${name}: ${value}`);
  }
  return `${lines.join("\n")}\n\n${showBody(reply, options.redactor)}`;
}

function showBody(reply: ExchangeReply, redactor: Redactor): string {
  const { body, cut } = reply;
  if (body.length === 0) return "(The body is empty.)";
  const size = cut ? `more than ${body.length}` : `${body.length}`;
  const type = reply.headers.get("content-type") ?? "";
  const text = decodeText(body, type);
  if (text === undefined) return `(The body is binary: ${type || "no type given"}, ${size} bytes.)`;
  if (!cut && text.length <= MAX_SHOWN_CHARACTERS) return text;
  const shown = redactor.withoutTornEnd(beginningOf(text, MAX_SHOWN_CHARACTERS));
  return `${shown}\n(The body is cut here: ${shown.length} characters are shown of ` +
    `${size} bytes. Ask for a part of it, if the server can give one.)`;
}

/** The text in the charset that the type names, or undefined when it is not text. */
function decodeText(body: Uint8Array, type: string): string | undefined {
  const charset = /charset\s*=\s*"?([^\s;"]+)/i.exec(type)?.[1] ?? "utf-8";
  const decoder = openDecoder(charset);
  const utf8 = decoder.encoding === "utf-8";
  if (utf8 ? isBinary(body.subarray(0, SAMPLE_BYTES)) : !/^(text|application)\//i.test(type)) {
    return undefined;
  }
  return decoder.decode(body);
}

function openDecoder(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    // An unknown charset: most of what is sent is UTF-8.
    return new TextDecoder();
  }
}
