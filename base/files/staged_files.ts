// Staged files: entries under a temporary name before their final one, and the removal of those that a killed service
// left.
import { join } from "node:path";
import { ignoreMissing, isMissing } from "./missing.ts";

/** Names of staged files. Watches and listings ignore them. */
export const STAGED_NAME = /^\.inkling-[0-9a-f-]{36,53}\.tmp$/;
/** Names of staged files with new content only. They can be removed without loss. */
const NEW_CONTENT = /^\.inkling-[0-9a-f-]{36}-[0-9a-f]+\.tmp$/;

/** Returns a fresh name for an existing entry. The entry under this name may be the only copy of a file. */
export function stagedName(): string {
  return `.inkling-${crypto.randomUUID()}.tmp`;
}

/** Returns the prefix and suffix for the name of a new file; a few hexadecimal digits go between. */
export function newContentName(): { prefix: string; suffix: string } {
  return { prefix: `.inkling-${crypto.randomUUID()}-`, suffix: ".tmp" };
}

/** The folders in which this process has staged files, by the file that lists them. */
const noted = new Map<string, Set<string>>();

/** Records that a folder will contain staged files, so that the next start checks it. */
export function noteStaging(stateDir: string, folder: string): void {
  const list = listOf(stateDir);
  const folders = noted.get(list) ?? new Set();
  if (folders.has(folder)) return;
  try {
    Deno.writeTextFileSync(list, `${JSON.stringify(folder)}\n`, { append: true, mode: 0o600 });
  } catch (error) {
    return ignoreMissing(error); // Without a state directory nobody starts there later.
  }
  noted.set(list, folders.add(folder));
}

/**
 * Returns the unfinished staged files of an earlier process, from the folders that clearStagedFiles() checks. `isNew`:
 * the file is no only copy.
 */
export async function findStagedFiles(
  stateDir: string,
  folders: string[],
): Promise<{ path: string; isNew: boolean }[]> {
  const found: { path: string; isNew: boolean }[] = [];
  for (const folder of new Set([...folders, ...await readList(listOf(stateDir))])) {
    for (const name of await stagedNamesIn(folder)) {
      found.push({ path: join(folder, name), isNew: NEW_CONTENT.test(name) });
    }
  }
  return found;
}

/**
 * Removes the unfinished staged files of an earlier process, in `folders` and in recorded folders. Returns the paths
 * that stay: entries that may be the only copy of a file, and entries that cannot be removed. No process with this
 * state directory may stage files meanwhile.
 */
export async function clearStagedFiles(stateDir: string, folders: string[]): Promise<string[]> {
  const list = listOf(stateDir);
  const kept: string[] = [];
  for (const { path, isNew } of await findStagedFiles(stateDir, folders)) {
    const isRemoved = isNew && await Deno.remove(path).then(() => true, () => false);
    if (!isRemoved) kept.push(path);
  }
  noted.delete(list);
  await Deno.remove(list).catch(ignoreMissing);
  return kept;
}

function listOf(stateDir: string): string {
  return join(stateDir, "staging");
}

async function readList(path: string): Promise<string[]> {
  let text: string;
  try {
    text = await Deno.readTextFile(path);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
  return text.split("\n").flatMap((line) => {
    try {
      const folder: unknown = JSON.parse(line);
      return typeof folder === "string" ? [folder] : [];
    } catch {
      return []; // The end of the file, or a line that a full disk cut: nothing was staged then.
    }
  });
}

async function stagedNamesIn(folder: string): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const { name, isFile } of Deno.readDir(folder)) {
      if (isFile && STAGED_NAME.test(name)) names.push(name);
    }
  } catch {
    // Gone or unreadable now. The new entry is not ours to remove.
  }
  return names;
}
