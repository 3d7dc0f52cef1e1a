// Makes text safe for a database column, so that the column returns it unchanged.

/**
 * Returns true if SQLite returns the text unchanged. SQLite cuts a column at NUL, and UTF-8 cannot encode a lone surrogate.
 */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

/** Returns the text with U+FFFD in place of each NUL and lone surrogate. Text inside stored JSON does not need this. */
export function toStorable(text: string): string {
  return text.replaceAll("\0", "\uFFFD").toWellFormed();
}
