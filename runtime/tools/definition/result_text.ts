// Cuts the text of a tool's result that exceeds the size limit.
import type { Redactor } from "../../secrets/redactor.ts";

/** The default maximum size of a tool's result, in UTF-8 bytes. */
export const RESULT_LIMIT_BYTES = 100 * 1024;
/** The size reserved for the line that reports a cut, in bytes. */
const NOTE_BYTES = 512;

/**
 * Returns the text with `behind` appended. If the result would exceed `maxBytes` of UTF-8, cuts the text and adds a line on
 * how to get the rest. `behind` is never cut.
 */
export function limitResult(
  text: string,
  redactor: Redactor,
  { behind = "", maxBytes = RESULT_LIMIT_BYTES }: {
    behind?: string;
    maxBytes?: number | undefined;
  } = {},
): string {
  // A UTF-16 code unit takes at most three bytes in UTF-8, so most texts need not be encoded.
  if ((text.length + behind.length) * 3 <= maxBytes) return text + behind;
  const bytes = new TextEncoder().encode(text);
  const limit = maxBytes - new TextEncoder().encode(behind).length;
  if (bytes.length <= limit) return text + behind;
  const head = redactor.trimPartialSecret(cutBytes(bytes, limit - NOTE_BYTES));
  const shown = Math.floor((limit - NOTE_BYTES) / 1024);
  return `${head}\n[The result is cut here: ${shown} KB of ${
    Math.ceil(bytes.length / 1024)
  } KB are shown. ` +
    "To get the rest, ask for less at a time: a range (offset, limit), a narrower pattern or filter, or one part.]" +
    behind;
}

/** Returns the first `limit` bytes as text. Leaves out a character that the limit splits. */
function cutBytes(bytes: Uint8Array, limit: number): string {
  let end = Math.min(limit, bytes.length);
  while (end > 0 && end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, end));
}
