// How much is in a folder, as far as it matters whether that is too much.
import { join } from "node:path";

/** What counts, and when to stop. */
export interface FolderSizeOptions {
  most: number;
  /** With all folders in it. */
  recursive: boolean;
  /** What does not count, with all that is in it. */
  isSkipped: (path: string) => boolean;
  signal?: AbortSignal;
}

/**
 * Whether a folder holds more than so many files and folders; counts no further than that. Links count, but are not
 * followed; what cannot be read counts as empty. False when the signal aborts.
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
      // Gone or unreadable: whoever scans it tells.
    }
  }
  return false;
}
