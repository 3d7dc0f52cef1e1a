// Checks the size of a folder against a limit.
import { join } from "node:path";

/** The entries to count, and the signal to stop. */
export interface FolderSizeOptions {
  most: number;
  /** True to include all subfolders. */
  recursive: boolean;
  /** Returns true for entries to exclude, with all their content. */
  isSkipped: (path: string) => boolean;
  signal?: AbortSignal;
}

/**
 * Returns true when a folder contains more than `most` files and folders; counts no further than that. Links count but
 * are not followed; unreadable folders count as empty. Returns false when the signal aborts.
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
      // Gone or unreadable. A scan of the folder reports that.
    }
  }
  return false;
}
