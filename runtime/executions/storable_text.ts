// Text as a database column can give it back.

/**
 * The text with U+FFFD for what SQLite would lose in a column of its own: NUL, which cuts a text short when it is read,
 * and lone surrogates, which UTF-8 has no form for. Text inside stored JSON needs none of this.
 */
export function toStorable(text: string): string {
  return text.replaceAll("\0", "\uFFFD").toWellFormed();
}
