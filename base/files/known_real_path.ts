// Resolves the real path of a path whose end may be missing or unreadable, for comparisons. A sandbox uses realPathOf() of
// runtime/tools/files/place.ts instead, which distinguishes missing paths from dangling symlinks, and throws if the file
// system reports another error.
import { basename, dirname, join } from "../plain_path.ts";

/**
 * Returns the real path of the path itself or of the nearest readable folder above it, followed by the remaining names as
 * written. `path` must be absolute.
 */
export function knownRealPath(path: string): string {
  try {
    return Deno.realPathSync(path);
  } catch {
    // The path is missing, denied to this process, or below a file. The folder above it may be readable.
    const parent = dirname(path);
    return parent === path ? path : join(knownRealPath(parent), basename(path));
  }
}
