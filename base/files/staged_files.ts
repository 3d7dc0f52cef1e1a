// Files that are about to take a name: how they are called until then, and what becomes of those that a service left
// behind because it was killed.
import { join } from "node:path";
import { ignoreMissing, isMissing } from "./missing.ts";

/** Names of staged files; watchers and listings leave them out. */
export const STAGED_NAME = /^\.inkling-[0-9a-f-]{36,53}\.tmp$/;
/** Of those that hold new content and nothing else: nobody misses them. */
const NEW_CONTENT = /^\.inkling-[0-9a-f-]{36}-[0-9a-f]+\.tmp$/;

/** A fresh name for an entry that exists already: what stands under it may be the only name of somebody's file. */
export function stagedName(): string {
  return `.inkling-${crypto.randomUUID()}.tmp`;
}

/** What the name of a new file begins and ends with; a few hexadecimal digits come between. */
export function newContentName(): { prefix: string; suffix: string } {
  return { prefix: `.inkling-${crypto.randomUUID()}-`, suffix: ".tmp" };
}

/** The folders in which this process has staged files, by the file that lists them. */
const noted = new Map<string, Set<string>>();

/** Writes down, before something is staged in a folder, that the next start is to look there. */
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

/** What an earlier process staged and did not finish, where clearStagedFiles() looks; `isNew`: it is nobody's only copy. */
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
 * Removes what an earlier process staged and did not finish, in `folders` and where it had noted that it would. Returns the
 * paths that stay: of entries that may be the only name of a file, and of what cannot be removed. Nothing that belongs to
 * this state directory may be staged meanwhile.
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
    // Gone, or no longer readable: whatever is there is not ours to remove any more.
  }
  return names;
}
