// Normalizes file names, so that names that some file system treats as equal become equal.

/** The characters in names that some file systems (HFS+) ignore. */
const IGNORED_IN_NAMES = /[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;

/**
 * Returns a name without differences of letter case, of compatibility forms and of ignored characters. The file system of a
 * folder is unknown, so a forbidden name must be forbidden in every spelling that some file system treats as equal.
 */
export function foldName(name: string): string {
  return name.replace(IGNORED_IN_NAMES, "").normalize("NFKC").toLowerCase();
}
