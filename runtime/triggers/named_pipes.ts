// Named pipes in watched folders: where they are, and how to free a thread that blocks on opening one.
import { dirname, join } from "node:path";
import { isBelow } from "../files/path_below.ts";
import type { WatchedFolder } from "./watch_cover.ts";

/**
 * Finds the named pipes in these folders, also through links, each under the path by which events name it: below the watched
 * folder. Ends early, with what was found so far, when the signal aborts.
 */
export async function findPipes(
  folders: readonly WatchedFolder[],
  signal: AbortSignal,
): Promise<string[]> {
  const found = new Set<string>();
  for (const { folder, recursive } of folders) {
    const seen = new Set<string>();
    const due = [folder];
    for (let place; !signal.aborted && (place = due.pop()) !== undefined;) {
      for (const path of await readUnusual(place)) {
        const info = await statOf(path);
        if (info?.isFifo) found.add(path);
        // Links may lead in circles.
        const identity = `${info?.dev}:${info?.ino}`;
        if (!recursive || !info?.isDirectory || seen.has(identity)) continue;
        seen.add(identity);
        due.push(path);
      }
    }
  }
  return [...found];
}

/** Whether there is a named pipe at this path now. */
export function isPipe(path: string): boolean {
  try {
    return Deno.statSync(path).isFifo === true;
  } catch {
    return false; // Gone or unreachable.
  }
}

/** Whether the watch of a folder reports this path. */
export function isReported(path: string, { folder, recursive }: WatchedFolder): boolean {
  return recursive ? isBelow(path, folder) : dirname(path) === folder;
}

/**
 * Opens named pipes for reading and writing. On Linux that never blocks, and it unblocks everyone who waits for the other
 * end. Nothing is read or written. Pipes that cannot be opened are left out. Hold them only briefly: meanwhile readers see no
 * end of file, and writers find a reader.
 */
export async function holdPipes(paths: readonly string[]): Promise<Disposable> {
  const files: Deno.FsFile[] = [];
  for (const path of paths) {
    if (!isPipe(path)) continue;
    try {
      files.push(await Deno.open(path, { read: true, write: true }));
    } catch {
      // Not permitted, or gone by now. If it was the one that matters, the thread stays blocked, which the caller notices.
    }
  }
  return { [Symbol.dispose]: () => files.forEach((file) => file.close()) };
}

/** What lies in a folder, apart from ordinary files. */
async function readUnusual(folder: string): Promise<string[]> {
  try {
    const entries = await Array.fromAsync(Deno.readDir(folder));
    return entries.filter(({ isFile }) => !isFile).map(({ name }) => join(folder, name));
  } catch {
    return []; // Gone or unreadable: any pipe in it stays unknown.
  }
}

async function statOf(path: string): Promise<Deno.FileInfo | undefined> {
  try {
    return await Deno.stat(path);
  } catch {
    return undefined; // Gone, or a dangling link.
  }
}
