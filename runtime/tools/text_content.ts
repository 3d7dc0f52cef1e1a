// What bytes are: text or not; and how much text it is.

/** The share of bytes that are no text above which a content counts as binary. */
const MAX_ODD_SHARE = 0.1;

/** Whether a content, judged by its beginning, is not text: it has a NUL, or too much that is neither text nor UTF-8. */
export function isBinary(sample: Uint8Array): boolean {
  if (sample.length === 0) return false;
  if (sample.includes(0)) return true;
  const text = new TextDecoder().decode(sample);
  let odd = 0;
  for (const character of text) {
    const code = character.charCodeAt(0);
    const control = code < 32 && code !== 9 && code !== 10 && code !== 12 && code !== 13 &&
      code !== 27;
    if (control || character === "\ufffd") odd++;
  }
  return odd / sample.length > MAX_ODD_SHARE;
}

const LF = 10;

/** How many lines a text has; an end of line at its end does not begin another. */
export function countLines(text: string): number {
  if (text === "") return 0;
  const bytes = new TextEncoder().encode(text);
  let ends = 0;
  // Over bytes, not by split(): ten million lines would keep the service's thread for a fifth of a second.
  for (let at = 0; at < bytes.length; at++) if (bytes[at] === LF) ends++;
  return text.endsWith("\n") ? ends : ends + 1;
}
