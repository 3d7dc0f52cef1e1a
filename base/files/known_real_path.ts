// Where a path really leads, as far as that can be told: for who compares places. A sandbox asks realPathOf() of
// tools/real_path.ts, which tells what is missing from what leads astray, and refuses what it cannot tell.
import { basename, dirname, join } from "node:path";

/**
 * The real path of the nearest folder above (or the path itself) that can be looked at, with the other names behind it as
 * they are written. `path` is absolute.
 */
export function knownRealPath(path: string): string {
  try {
    return Deno.realPathSync(path);
  } catch {
    // It is missing, closed to this process, or no folder: whatever it is, its folder may still be told.
    const parent = dirname(path);
    return parent === path ? path : join(knownRealPath(parent), basename(path));
  }
}
