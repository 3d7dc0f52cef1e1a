// The comment in the front matter of an imported agent. It identifies the source, so that a later import can update the file.
import { sha256Of } from "../../base/sha256.ts";

/** The source of an imported agent file. */
export interface ImportMark {
  /** The folder or address of the source. */
  origin: string;
  /** The file's path in the source. */
  path: string;
  /** The digest of the source's file. */
  source: string;
}

const LINE = /^# inkling import ([0-9a-f]{16}) ([0-9a-f]{16}) (.*)\r?\n/m;

/** Returns the first digits of a text's SHA-256 digest. */
export async function digestOf(text: string): Promise<string> {
  return (await sha256Of(new TextEncoder().encode(text))).slice(0, 16);
}

/** Adds the mark to the front matter of an agent file. */
export async function addMark(
  text: string,
  { origin, path, source }: ImportMark,
): Promise<string> {
  const line = `# inkling import ${source} ${await digestOf(text)} ${
    JSON.stringify([origin, path])
  }\n`;
  return text.replace(/^---\n/, `---\n${line}`);
}

/** Returns the mark of an agent file, and true in `isEdited` if a person has changed the file since. */
export async function readMark(
  text: string,
): Promise<{ mark: ImportMark; isEdited: boolean } | undefined> {
  const [line, source = "", written = "", place = ""] = LINE.exec(text) ?? [];
  if (line === undefined) return undefined;
  try {
    const [origin, path]: unknown[] = JSON.parse(place);
    if (typeof origin !== "string" || typeof path !== "string") return undefined;
    const isEdited = await digestOf(text.replace(line, "")) !== written;
    return { mark: { origin, path, source }, isEdited };
  } catch {
    return undefined; // A person changed the comment, so that the file counts as his own.
  }
}
