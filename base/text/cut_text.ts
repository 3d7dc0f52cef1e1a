// Cuts long texts, never within a character.

/** Returns at most `maxCharacters` (UTF-16 code units) of the text's beginning, without splitting a surrogate pair. */
export function beginningOf(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  return text.slice(0, Math.max(0, maxCharacters)).replace(/[\uD800-\uDBFF]$/, "");
}

/** Returns the text, or its beginning with a `…` at the end, in at most `maxCharacters`. */
export function cutEnd(text: string, maxCharacters: number): string {
  return text.length <= maxCharacters ? text : `${beginningOf(text, maxCharacters - 1)}…`;
}

/** Returns at most `maxCharacters` (UTF-16 code units) of the text's end, without splitting a surrogate pair. */
export function endOf(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  return text.slice(text.length - maxCharacters).replace(/^[\uDC00-\uDFFF]/, "");
}
