// Writes the attachments of a mail to files that its run may read.
import { join } from "../../../base/plain_path.ts";
import { beginningOf } from "../../../base/text/cut_text.ts";
import { type MailFile, MAX_FILE_BYTES } from "../../mail/read_mail.ts";
import { ToolFailure } from "../failures/tool_failure.ts";
import type { PathSandbox } from "../files/path_sandbox.ts";
import { writeFile } from "../files/write_file.ts";

/** An attachment of a mail. `path` is the file as the model names it; absent, with the reason in `note`, if there is none. */
export interface SavedFile extends Pick<MailFile, "type" | "bytes"> {
  /** The name that was made safe. */
  name: string;
  path?: string;
  note?: string;
}

const MAX_NAME = 100;
/** The names that Windows reserves for devices. */
const DEVICES = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/**
 * Writes attachments to `mail/<folder>` in the first folder that the agent may write. Writing the same mail again replaces
 * the files by equal ones.
 */
export async function saveFiles(
  files: readonly MailFile[],
  { sandbox, folder, signal }: { sandbox: PathSandbox; folder: string; signal: AbortSignal },
): Promise<SavedFile[]> {
  if (files.length === 0) return [];
  const root = await findRoot(sandbox);
  const names = safeNames(files.map(({ name }) => name));
  const saved: SavedFile[] = [];
  for (const [index, { type, bytes, content }] of files.entries()) {
    const name = names[index] ?? "";
    const file = { name, type, bytes };
    if (content === undefined) {
      const limit = `${MAX_FILE_BYTES / 1024 / 1024} MB`;
      saved.push({ ...file, note: `it is larger than ${limit}` });
    } else if (root === undefined) {
      saved.push({ ...file, note: "the agent's paths have no folder for it" });
    } else {
      saved.push({ ...file, ...await save(join(root, "mail", folder, name), content) });
    }
  }
  return saved;

  async function save(path: string, content: Uint8Array) {
    try {
      return { path: (await writeFile(sandbox, path, content, { signal })).display };
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error;
      return { note: error.message };
    }
  }
}

/** Returns the first folder that the agent may write. A path that does not exist yet counts as a folder. */
async function findRoot(sandbox: PathSandbox): Promise<string | undefined> {
  for (const { path, access } of await sandbox.roots()) {
    if (access !== "write") continue;
    const isFile = await Deno.stat(path).then((info) => info.isFile, () => false);
    if (!isFile) return path;
  }
  return undefined;
}

/** Returns names for files in one folder. They differ also where case does not count. */
export function safeNames(names: readonly string[]): string[] {
  const used = new Set<string>();
  return names.map((written, index) => {
    const { stem, extension } = safeName(written, `attachment-${index + 1}`);
    for (let copy = 1;; copy++) {
      const name = `${stem}${copy === 1 ? "" : ` (${copy})`}${extension}`;
      const folded = name.normalize("NFC").toLowerCase();
      if (used.has(folded)) continue;
      used.add(folded);
      return name;
    }
  });
}

function safeName(written: string, fallback: string): { stem: string; extension: string } {
  const plain = (written.split(/[/\\]/).at(-1) ?? "")
    .replaceAll(/\p{C}/gu, "")
    .replaceAll(/[<>:"|?*\s]+/g, " ")
    // A name with a leading dot would be hidden, and one with a leading hyphen would look like an option.
    .replace(/^[\s.-]+/, "")
    .replace(/[\s.]+$/, "");
  const extension = /\.[\p{L}\p{N}]{1,10}$/u.exec(plain)?.[0] ?? "";
  const stem = beginningOf(plain.slice(0, plain.length - extension.length), MAX_NAME).trim();
  const named = stem === "" ? fallback : DEVICES.test(stem) ? `_${stem}` : stem;
  return { stem: named, extension };
}
