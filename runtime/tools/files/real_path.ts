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
  // The path, its folder, and so on up to the root.
  const places = [absolute];
  for (let place = absolute; dirname(place) !== place; places.push(place)) place = dirname(place);
  const realOf = (at: number) => unlessMissing(() => Deno.realPathSync(places[at]!), shown);
  let real = realOf(0);
  let missing = real === undefined ? 0 : -1;
  let found = real === undefined ? places.length : 0;
  // All above a place that exists exists too: few questions find the lowest one, even of thousands of missing names.
  for (let step = 1; found - missing > 1; step *= 2) {
    const at = Math.min(missing + step, (missing + found) >> 1);
    const above = realOf(at);
    if (above === undefined) missing = at;
    else {
      real = above;
      found = at;
    }
  }
  if (real === undefined || real === DENIED) {
    return { path: absolute, exists: false, dangling: false };
  }
  const names = places.slice(0, found).map((place) => basename(place)).toReversed();
  const first = places[missing];
  const dangling = first !== undefined &&
    unlessMissing(() => Deno.lstatSync(first), shown) !== undefined;
  return {
    path: dangling ? join(first, ...names.slice(1)) : join(real, ...names),
    exists: names.length === 0,
    dangling,
  };
}

const DENIED: unique symbol = Symbol("denied");

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
