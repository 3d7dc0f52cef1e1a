// Places in the file system: path texts, containment, file identities, and symlink resolution.
import { toFileFailure } from "./file_failure.ts";
import { PATHS } from "../../../base/plain_path.ts";
import { isMissing } from "../../../base/files/missing.ts";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { ToolFailure } from "../failures/tool_failure.ts";
import type { BigIntStats } from "node:fs";

const { basename, dirname, join } = PATHS;

/** A path with its symlinks resolved. */
export interface RealPath {
  /** The real path of the deepest existing ancestor, followed by the names that do not exist yet. */
  path: string;
  exists: boolean;
  /** True if the first missing name is a symlink to nothing. */
  dangling: boolean;
}

/**
 * Resolves the symlinks of an absolute path as far as it exists. A path that Deno's flags close stays as written; it cannot
 * be opened later either. Throws ToolFailure with `shown` when the file system reports an error.
 *
 * Synchronous, because a thread switch takes longer than the call, and each use of a file resolves several paths.
 */
export function realPathOf(absolute: string, shown: string): RealPath {
  // The path, its folder, and so on up to the root.
  const places = [absolute];
  for (let place = absolute; dirname(place) !== place; places.push(place)) place = dirname(place);
  const realOf = (at: number) => unlessMissing(() => Deno.realPathSync(places[at]!), shown);
  let real = realOf(0);
  let missing = real === undefined ? 0 : -1;
  let found = real === undefined ? places.length : 0;
  // Every ancestor of an existing place exists, so a binary search finds the lowest one in few calls, even for thousands of
  // missing names.
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

/** Returns the value, undefined when the path does not exist (or its parent is no folder), or DENIED. */
function unlessMissing<T>(work: () => T, shown: string): T | undefined | typeof DENIED {
  try {
    return work();
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return DENIED;
    if (isMissing(error)) return undefined;
    throw toFileFailure(error, "use", shown);
  }
}

/** Returns true if a path is a folder or lies in it. Both are absolute; letter case counts where the platform compares it. */
export function isWithin(path: string, folder: string): boolean {
  const rest = relative(foldPath(folder), foldPath(path));
  return rest === "" || (rest !== ".." && !rest.startsWith(`..${sep}`) && !isAbsolute(rest));
}

const MAX_PATH_BYTES = 4_095;
const MAX_NAME_BYTES = 255;

/** Throws ToolFailure for a text that no file system accepts as a path. */
export function checkPathText(text: string): void {
  if (text.trim() === "") throw new ToolFailure("The path is empty. Give a file path.");
  if (text.includes("\0")) {
    throw new ToolFailure("The path contains a NUL character, which is not allowed.");
  }
  if (!text.isWellFormed()) {
    throw new ToolFailure(
      "The path contains half of a surrogate pair, which is not allowed. Write it as plain Unicode.",
    );
  }
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > MAX_PATH_BYTES) {
    throw new ToolFailure(
      `The path is too long: ${bytes} bytes, at most ${MAX_PATH_BYTES} are possible.`,
    );
  }
  for (const name of text.split("/")) {
    if (name.length * 3 <= MAX_NAME_BYTES) continue;
    const size = new TextEncoder().encode(name).length;
    if (size > MAX_NAME_BYTES) {
      throw new ToolFailure(
        `The path has a name that is too long: "${name.slice(0, 40)}…" takes ${size} bytes, ` +
          `at most ${MAX_NAME_BYTES} are possible.`,
      );
    }
  }
}

/** Returns a path as this platform compares names: case-sensitive on Linux, case-insensitive elsewhere. */
export function foldPath(path: string): string {
  return Deno.build.os === "linux" ? path : path.normalize("NFC").toLowerCase();
}

/** A file's device and inode number. It stays the same when the file is renamed. */
export type FileIdentity = string;

/** Returns the identity from a stat result. */
export function identityOf(info: BigIntStats): FileIdentity {
  return `${info.dev}:${info.ino}`;
}

/** A folder with its content, or one file. */
export class SandboxPlace {
  /** Absolute, as configured. */
  readonly path: string;
  #real: string;
  #pinned = false;

  constructor(path: string) {
    this.path = resolve(path);
    this.#real = this.path;
  }

  /**
   * The real path: symlinks are resolved as far as the path existed when it was settled. Before that, the configured path.
   */
  get real(): string {
    return this.#real;
  }

  /**
   * Resolves the real path. Once the place exists, its real path is fixed: a symlink swapped in later has no effect. Throws
   * ToolFailure on a file system error.
   */
  resolve(): void {
    if (this.#pinned) return;
    const { path, exists, dangling } = realPathOf(this.path, this.path);
    this.#real = path;
    this.#pinned = exists && !dangling;
  }
}
