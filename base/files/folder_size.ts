// Checks whether a folder contains more entries than a limit.
import { join } from "../plain_path.ts";

/** The entries to count, and the signal that stops the count. */
export interface FolderSizeOptions {
  most: number;
  /** True to count the entries of all subfolders, too. */
  recursive: boolean;
  /** Returns true for an entry that is not counted, with all its content. */
  isSkipped: (path: string) => boolean;
  signal?: AbortSignal;
}

/**
 * Returns true if a folder contains more than `most` files and folders, and stops counting there. Links count but are not
 * followed; unreadable folders count as empty. Returns false if the signal aborts.
 */
export async function holdsMoreThan(
  folder: string,
  { most, recursive, isSkipped, signal }: FolderSizeOptions,
): Promise<boolean> {
  let count = 0;
  const due = [folder];
  for (let place; (place = due.pop()) !== undefined;) {
    try {
      for await (const { name, isDirectory } of Deno.readDir(place)) {
        if (signal?.aborted) return false;
        const path = join(place, name);
        if (isSkipped(path)) continue;
        if (++count > most) return true;
        if (isDirectory && recursive) due.push(path);
      }
    } catch {
      // The folder was removed or is unreadable, which a later scan of the folder reports.
    }
  }
  return false;
}
