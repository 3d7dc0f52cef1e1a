// How long a tool's result may be, and what a longer one looks like.
import type { Redactor } from "../secrets/redactor.ts";

/** The most bytes (UTF-8) of one tool result, where the tool does not say otherwise. */
export const RESULT_LIMIT_BYTES = 100 * 1024;
/** Room for the line that reports a cut. */
const NOTE_BYTES = 512;

/**
 * The text, or as much of its beginning as fits in `maxBytes`, with a last line that says how to get the rest. `behind` follows
 * in any case, whole, and counts as part of the result.
 */
export function boundResult(
  text: string,
  redactor: Redactor,
  { behind = "", maxBytes = RESULT_LIMIT_BYTES }: {
    behind?: string;
    maxBytes?: number | undefined;
  } = {},
): string {
  // A UTF-16 unit takes three bytes at most, so that most texts need no counting.
  if ((text.length + behind.length) * 3 <= maxBytes) return text + behind;
  const bytes = new TextEncoder().encode(text);
  const limit = maxBytes - new TextEncoder().encode(behind).length;
  if (bytes.length <= limit) return text + behind;
  const head = redactor.withoutTornEnd(cutBytes(bytes, limit - NOTE_BYTES));
  const shown = Math.floor((limit - NOTE_BYTES) / 1024);
  return `${head}\n[The result is cut here: ${shown} KB of ${
    Math.ceil(bytes.length / 1024)
  } KB are shown. ` +
    "To get the rest, ask for less at a time: a range (offset, limit), a narrower pattern or filter, or one part.]" +
    behind;
}

/** The first `limit` bytes as text, without a torn character at the end. */
function cutBytes(bytes: Uint8Array, limit: number): string {
  let end = Math.min(limit, bytes.length);
  while (end > 0 && end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, end));
}
