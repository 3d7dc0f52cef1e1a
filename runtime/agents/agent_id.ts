// Checks the names of agents: ids, which are file names without `.md`, and labels, which are only displayed.

/**
 * Returns the reason why a text is no valid agent name, as the end of a sentence such as `must not be empty`. Undefined if
 * it is valid.
 */
export function describeBadName(name: string): string | undefined {
  if (name === "") return "must not be empty";
  if (name.trim() !== name) return "must not begin or end with a space";
  const bad = [...name.normalize("NFC")].find((character) =>
    !/[\p{L}\p{M}\p{N} _-]/u.test(character)
  );
  if (bad === undefined) return undefined;
  return `must hold only letters, digits, spaces, hyphens and underscores, not ${show(bad)}`;
}

/** Returns the form in which an id is stored and compared. Different Unicode spellings of a letter become equal. */
export function normalizeId(id: string): string {
  return id.normalize("NFC");
}

/** Matches documents that repositories and other programs put beside agents. */
const DOCUMENTS = /^(?:README|AGENTS|CLAUDE|LICENSE|CONTRIBUTING|CHANGELOG|SECURITY)\.md$/;

/** Returns true if a file with this name in the agents directory is an agent file. */
export function isAgentFileName(name: string): boolean {
  return name.endsWith(".md") && !name.endsWith(".memory.md") && !name.startsWith(".") &&
    !DOCUMENTS.test(name);
}

/**
 * Returns true for a file that is ignored only because its name ends with `.MD`, `.markdown`, `.yaml` or the like. A name
 * that ends with a slash is a subfolder, whose files are ignored.
 */
export function isMisnamedAgentFile(name: string): boolean {
  if (name.endsWith("/")) return true;
  return /\.(?:md|markdown|ya?ml)$/i.test(name) && !name.endsWith(".md") &&
    !/\.memory\.md$/i.test(name) && !name.startsWith(".") &&
    !new RegExp(DOCUMENTS, "i").test(name);
}

/** Returns the agent's id for a file name, even for a misnamed file. */
export function idOfFileName(name: string): string {
  return normalizeId(name.replace(/\.(?:md|markdown|ya?ml)$/i, ""));
}

function show(character: string): string {
  if (!/[\p{C}\p{Z}]/u.test(character)) return `"${character}"`;
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return `U+${code}`;
}
