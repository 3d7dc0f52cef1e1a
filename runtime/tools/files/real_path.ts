// Where a path really leads: symlinks resolved for as much of it as exists.
import { toFileFailure } from "./file_failure.ts";
import { PATHS } from "../../../base/plain_path.ts";
import { isMissing } from "../../../base/files/missing.ts";

const { basename, dirname, join } = PATHS;

/** A path with its symlinks resolved. */
export interface RealPath {
  /** The real path of the deepest existing ancestor, with the names after it that do not exist yet. */
  path: string;
  exists: boolean;
  /** The first name that does not resolve is a symlink to nothing. */
  dangling: boolean;
}

/**
 * Resolves symlinks of an absolute path as far as it exists. Throws ToolFailure naming `shown` when that cannot be told.
 * What Deno's flags close cannot be looked at, nor then be opened: such a path stays as it is written. Synchronous: the way
 * to another thread and back takes longer than the system needs, and each use of a file asks several times.
 */
export function realPathOf(absolute: string, shown: string): RealPath {
  const missing: string[] = [];
  let current = absolute;
  for (;;) {
    const real = unlessMissing(() => Deno.realPathSync(current), shown);
    if (real === DENIED) return { path: absolute, exists: false, dangling: false };
    if (real !== undefined) {
      return { path: join(real, ...missing), exists: missing.length === 0, dangling: false };
    }
    if (unlessMissing(() => Deno.lstatSync(current), shown) !== undefined) {
      return { path: join(current, ...missing), exists: missing.length === 0, dangling: true };
    }
    const parent = dirname(current);
    if (parent === current) return { path: absolute, exists: false, dangling: false };
    missing.unshift(basename(current));
    current = parent;
  }
}

const DENIED = Symbol("denied");

/** The value, undefined when the path does not exist (or its parent is no folder), or DENIED. */
function unlessMissing<T>(work: () => T, shown: string): T | undefined | typeof DENIED {
  try {
    return work();
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return DENIED;
    if (isMissing(error)) return undefined;
    throw toFileFailure(error, "use", shown);
  }
}
