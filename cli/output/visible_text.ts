// Text that a person decides by, shown with all that is in it: what would not be seen, or would deceive, as an escape.

/**
 * Control characters but line feed and tab, separators of lines, and characters without a shape of their own, among them
 * the marks and overrides of direction. Joiners stay: letters and emoji are made with them.
 */
const UNSEEN = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * The text with `\r`, `\u001b`, `\u202e` and their like in the place of what they stand for; line feeds and tabs stay.
 * Unlike sanitise() it leaves nothing out: what is allowed is what was read.
 */
export function toVisible(text: string): string {
  return text.replaceAll(UNSEEN, toEscape);
}

/** toVisible() on one line, runs of white space as one space. */
export function toVisibleLine(text: string): string {
  return toVisible(text).replaceAll(/\s+/g, " ").trim();
}

function toEscape(char: string): string {
  if (char === "\r") return "\\r";
  const code = char.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  return code > 0xffff ? `\\u{${hex}}` : `\\u${hex.padStart(4, "0")}`;
}
