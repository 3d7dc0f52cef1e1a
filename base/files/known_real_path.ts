// Resolves the real path as far as it can be read, for comparing paths. A sandbox uses realPathOf() of
// tools/real_path.ts instead, which distinguishes missing from misleading paths and refuses unknown ones.
import { basename, dirname, join } from "node:path";

/**
 * Returns the real path of the nearest readable folder above (or the path itself), plus the remaining names as written.
 * `path` is absolute.
 */
export function knownRealPath(path: string): string {
  try {
    return Deno.realPathSync(path);
  } catch {
    // Missing, closed to this process, or no folder: the folder above it may still be readable.
    const parent = dirname(path);
    return parent === path ? path : join(knownRealPath(parent), basename(path));
  }
}
