// Reads all files of a skill's folder and calculates the digests for its lock. Enforces the limits of an added skill.
import type { Dirent } from "node:fs";
import { readdir, readlink } from "node:fs/promises";
import { join } from "../../../base/plain_path.ts";
import { readWholeFile, UnfitFile } from "../../../base/files/whole_file.ts";
import { sha256Of } from "../../../base/sha256.ts";
import { isFileFailure, unreadableReason } from "../../../base/files/unreadable.ts";
import { ToolFailure } from "../failures/tool_failure.ts";

/** The limits of a skill with a lock. They are needed because each use of the skill reads all its files. */
const MAX_FILES = 1_000;
const MAX_BYTES = 20 * 1_024 * 1_024;
const MAX_DEPTH = 20;

/** The name of the lock file, which contains the digests of the other files. */
export const LOCK_NAME = "skill.lock";

/** A file of a skill. */
export interface SkillContent {
  /** The path relative to the skill's folder, with slashes. */
  path: string;
  bytes: Uint8Array<ArrayBuffer>;
  /** The SHA-256 hash of the content in hexadecimal. */
  digest: string;
}

/** An entry of a skill's folder that is neither a file nor a folder. */
export interface SpecialEntry {
  path: string;
  /** The target of a symlink. Undefined for other entries. */
  target: string | undefined;
}

/**
 * Returns the folder's files in the order of their paths, and its entries that are neither files nor folders. Leaves out
 * the lock and entries whose name is in `skip`. Throws ToolFailure if a limit is exceeded or an entry cannot be read.
 */
export async function readSkillFiles(
  folder: string,
  { skip = [] }: { skip?: readonly string[] } = {},
): Promise<{ files: SkillContent[]; oddities: SpecialEntry[] }> {
  const files: SkillContent[] = [];
  const oddities: SpecialEntry[] = [];
  let left = MAX_BYTES;
  const take = async (entry: Dirent, path: string) => {
    if (entry.isDirectory()) return await walk(path);
    if (!entry.isFile()) {
      const target = entry.isSymbolicLink() ? await readlink(join(folder, path)) : undefined;
      oddities.push({ path, target });
      return;
    }
    if (path === LOCK_NAME) return;
    const bytes = await readWholeFile(join(folder, path), { maxBytes: left });
    left -= bytes.length;
    files.push({ path, bytes, digest: await sha256Of(bytes) });
    if (files.length > MAX_FILES) throw tooMuch(`over ${MAX_FILES} files`);
  };
  const walk = async (path: string) => {
    if (path.split("/").length > MAX_DEPTH) throw tooMuch(`folders over ${MAX_DEPTH} deep`);
    const entries = await readdir(join(folder, path), { withFileTypes: true });
    entries.sort((a, b) => a.name < b.name ? -1 : 1);
    for (const entry of entries.filter(({ name }) => !skip.includes(name))) {
      await take(entry, path === "" ? entry.name : `${path}/${entry.name}`);
    }
  };
  try {
    await walk("");
  } catch (error) {
    if (error instanceof UnfitFile) throw tooMuch("over 20 MB");
    if (error instanceof ToolFailure || !isFileFailure(error)) throw error;
    throw new ToolFailure(`The skill cannot be read: ${unreadableReason(error)}`);
  }
  return { files, oddities };
}

function tooMuch(what: string): ToolFailure {
  return new ToolFailure(`The skill has ${what}, which an added skill may not have`);
}
