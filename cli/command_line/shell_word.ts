// Text as a word of a POSIX shell, to be pasted.

/** The word in quotes where the shell would read it otherwise. */
export function toShellWord(text: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
