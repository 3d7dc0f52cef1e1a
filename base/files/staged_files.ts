// Names staged files, which are entries with a temporary name until they get their final one, and removes the staged files
// of a killed service.
import { join } from "../plain_path.ts";
import { ignoreMissing, isMissing } from "./missing.ts";

/** Matches the names of staged files. Watches and listings ignore these names. */
export const STAGED_NAME = /^\.inkling-[0-9a-f-]{36,53}\.tmp$/;
/** Matches the names of staged files that contain only new content, so that removing them loses nothing. */
const NEW_CONTENT = /^\.inkling-[0-9a-f-]{36}-[0-9a-f]+\.tmp$/;

/** Returns a new temporary name for an existing entry. The entry with this name may be the only copy of a file. */
export function stagedName(): string {
  return `.inkling-${crypto.randomUUID()}.tmp`;
}

/** Returns the prefix and the suffix of a temporary name for new content. A few hexadecimal digits belong between them. */
export function newContentName(): { prefix: string; suffix: string } {
  return { prefix: `.inkling-${crypto.randomUUID()}-`, suffix: ".tmp" };
}

/** The folders in which this process has staged files, by the path of the file that lists them. */
const noted = new Map<string, Set<string>>();

/** Records on disk that a folder will contain staged files, so that the next start checks the folder. */
export function noteStaging(stateDir: string, folder: string): void {
  const list = listOf(stateDir);
  const folders = noted.get(list) ?? new Set();
  if (folders.has(folder)) return;
  try {
    Deno.writeTextFileSync(list, `${JSON.stringify(folder)}\n`, { append: true, mode: 0o600 });
  } catch (error) {
    return ignoreMissing(error); // Without a state folder there is no record that a later start could read.
  }
  noted.set(list, folders.add(folder));
}

/**
 * Returns the staged files that an earlier process has left in the folders that clearStagedFiles() checks. `isNew` is true
 * if a file contains only new content.
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
 * Removes the staged files that an earlier process has left in `folders` and in the recorded folders. Returns the paths
 * that stay, because they may be the only copy of a file or cannot be removed. No process with this state directory may
 * stage files meanwhile.
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
      return []; // The line is empty at the end of the file, or a full disk cut it before anything was staged.
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
    // The folder was removed or is unreadable, so there is no staged file that this process could remove.
  }
  return names;
}
