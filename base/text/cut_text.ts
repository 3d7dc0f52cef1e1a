// The beginning of a text that is too long, never with half a character at its end.

/** At most `maxCharacters` (UTF-16 code units) of the text's beginning, no surrogate pair cut in two. */
export function beginningOf(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  return text.slice(0, Math.max(0, maxCharacters)).replace(/[\uD800-\uDBFF]$/, "");
}

/** The text, or its beginning with `…` where it is longer than `maxCharacters`; together no more than those. */
export function cutEnd(text: string, maxCharacters: number): string {
  return text.length <= maxCharacters ? text : `${beginningOf(text, maxCharacters - 1)}…`;
}

/** At most `maxCharacters` (UTF-16 code units) of the text's end, no surrogate pair cut in two. */
export function endOf(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  return text.slice(text.length - maxCharacters).replace(/^[\uDC00-\uDFFF]/, "");
}
