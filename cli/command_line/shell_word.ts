// Quotes texts for POSIX shells.

/** Returns the text as a single word for a shell, in quotes if it contains special characters. */
export function toShellWord(text: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
