// The names of agents: ids, which are the stems of their files, and labels, which only people read.

/** Why a text is not a valid agent name, as the end of a sentence (`must not be empty`); undefined when it is one. */
export function describeBadName(name: string): string | undefined {
  if (name === "") return "must not be empty";
  if (name.trim() !== name) return "must not begin or end with a space";
  const bad = [...name.normalize("NFC")].find((character) =>
    !/[\p{L}\p{M}\p{N} _-]/u.test(character)
  );
  if (bad === undefined) return undefined;
  return `must hold only letters, digits, spaces, hyphens and underscores, not ${show(bad)}`;
}

/** The form in which ids are kept and compared: different spellings of an accented letter are one. */
export function normalizeId(id: string): string {
  return id.normalize("NFC");
}

/** Documents that repositories and other programs put beside agents. */
const DOCUMENTS = /^(?:README|AGENTS|CLAUDE|LICENSE|CONTRIBUTING|CHANGELOG|SECURITY)\.md$/;

/** Whether a file of the agents directory is an agent's. */
export function isAgentFileName(name: string): boolean {
  return name.endsWith(".md") && !name.endsWith(".memory.md") && !name.startsWith(".") &&
    !DOCUMENTS.test(name);
}

/**
 * Whether a file is not read only because its name ends with `.MD`, `.markdown`, `.yaml` or the like. A name that ends with a
 * slash is a subfolder's: its files are not read either.
 */
export function isMisnamedAgentFile(name: string): boolean {
  if (name.endsWith("/")) return true;
  return /\.(?:md|markdown|ya?ml)$/i.test(name) && !name.endsWith(".md") &&
    !/\.memory\.md$/i.test(name) && !name.startsWith(".") &&
    !new RegExp(DOCUMENTS, "i").test(name);
}

/** The id that a file name gives, or that of a misnamed file would give. */
export function idOfFileName(name: string): string {
  return normalizeId(name.replace(/\.(?:md|markdown|ya?ml)$/i, ""));
}

function show(character: string): string {
  if (!/[\p{C}\p{Z}]/u.test(character)) return `"${character}"`;
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return `U+${code}`;
}
