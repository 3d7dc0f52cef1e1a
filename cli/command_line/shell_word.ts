// Quotes texts for a POSIX shell.

/** Returns the text as one word of a shell, quoted if necessary. */
export function toShellWord(text: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
