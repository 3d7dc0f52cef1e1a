// Resolves symlinks, validates and compares paths, and identifies files.
import { toFileFailure } from "./file_failure.ts";
import {
  basename,
  dirname,
  isAbsolute,
  join,
  NOT_NORMAL,
  relative,
  resolve,
} from "../../../base/plain_path.ts";
import { isMissing } from "../../../base/files/missing.ts";
import { sep } from "node:path";
import { ToolFailure } from "../failures/tool_failure.ts";
import type { BigIntStats } from "node:fs";

/** The purpose of an access. Deleting and moving count as writing. */
export type PathAccess = "read" | "write";

/** The result of resolving the symlinks of a path. */
export interface RealPath {
  /** The real path of the deepest existing ancestor, followed by the names that do not exist yet. */
  path: string;
  exists: boolean;
  /** True if the first name that does not exist is a symlink without a target. */
  dangling: boolean;
}

/**
 * Resolves the symlinks of an absolute path as far as it exists. If Deno's flags forbid the path, returns it unchanged,
 * because it cannot be opened. Throws ToolFailure with the path `shown` if the file system reports another error.
 *
 * Synchronous, because a thread switch takes longer than the system call, and each use of a file resolves several paths.
 */
export function realPathOf(absolute: string, shown: string): RealPath {
  // The path and all folders above it, from the path to the root.
  const places = [absolute];
  for (let place = absolute; dirname(place) !== place; places.push(place)) place = dirname(place);
  const realOf = (at: number) => unlessMissing(() => Deno.realPathSync(places[at]!), shown);
  let real = realOf(0);
  let missing = real === undefined ? 0 : -1;
  let found = real === undefined ? places.length : 0;
  // All ancestors of an existing path exist, so a binary search finds the deepest existing ancestor with few system calls,
  // even below thousands of missing names.
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

/**
 * Returns the result of `work`. Returns undefined if the path does not exist, and DENIED if Deno's flags close it. Throws
 * ToolFailure for other errors.
 */
function unlessMissing<T>(work: () => T, shown: string): T | undefined | typeof DENIED {
  try {
    return work();
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return DENIED;
    if (isMissing(error)) return undefined;
    throw toFileFailure(error, "use", shown);
  }
}

/**
 * Returns true if `path` is `folder` or lies in it. `path` and `folder` are absolute. Ignores letter case except on Linux.
 */
export function isWithin(path: string, folder: string): boolean {
  const [inner, outer] = [foldPath(path), foldPath(folder)];
  // Comparing normal paths as texts takes a tenth of the time, which counts in a walk of many entries.
  if (sep === "/" && !NOT_NORMAL.test(inner) && !NOT_NORMAL.test(outer)) {
    return inner === outer || inner.startsWith(`${outer}/`);
  }
  const rest = relative(outer, inner);
  return rest === "" || (rest !== ".." && !rest.startsWith(`..${sep}`) && !isAbsolute(rest));
}

const MAX_PATH_BYTES = 4_095;
const MAX_NAME_BYTES = 255;

/** Throws ToolFailure if a text is empty, too long or otherwise not valid as a path. */
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

/** Returns a path in the form used to compare paths: unchanged on Linux, else in lower case and Unicode's form NFC. */
export function foldPath(path: string): string {
  return Deno.build.os === "linux" ? path : path.normalize("NFC").toLowerCase();
}

/** The device and inode number of a file. The identity stays the same when the file is renamed. */
export type FileIdentity = string;

/** Returns a file's identity from its stat result. */
export function identityOf(info: BigIntStats): FileIdentity {
  return `${info.dev}:${info.ino}`;
}

/** A folder or file of an agent's paths, with the real path it resolved to. */
export class SandboxPlace {
  /** The absolute path as configured, with its symlinks. */
  readonly path: string;
  #real: string;
  #pinned = false;

  constructor(path: string) {
    this.path = resolve(path);
    this.#real = this.path;
  }

  /**
   * The real path from the last call of resolve(), with symlinks resolved as far as the path existed. Before that call, the
   * configured path.
   */
  get real(): string {
    return this.#real;
  }

  /**
   * Resolves the real path. Keeps it once the path exists, so that a symlink that is created later has no effect. Throws
   * ToolFailure for a file system error.
   */
  resolve(): void {
    if (this.#pinned) return;
    const { path, exists, dangling } = realPathOf(this.path, this.path);
    this.#real = path;
    this.#pinned = exists && !dangling;
  }
}
