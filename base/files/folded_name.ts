// Names of files in the form in which the loosest file system compares them.

/** Characters that some file systems (HFS+) leave out when they compare names. */
const IGNORED_IN_NAMES = /[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;

/**
 * A name without differences of letter case, of compatibility forms and of ignored characters. Which file system a folder
 * lies on cannot be known, so what is closed by its name is closed under every name that one of them takes for the same.
 */
export function foldName(name: string): string {
  return name.replace(IGNORED_IN_NAMES, "").normalize("NFKC").toLowerCase();
}
