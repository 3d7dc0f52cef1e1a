// Finds the entries of a sandbox that match a pattern. The walk never leaves the allowed roots and never enters a symlinked
// folder. Files in the symlink's target are found by their real paths if the target is inside the roots.
import { realpath, stat } from "node:fs/promises";
import { relative, sep } from "node:path";
import type { Clock } from "../../../base/clock.ts";
import { errorCode } from "../../../base/error_code.ts";
import { nextSlice } from "../../../base/slices.ts";
import { STAGED_NAME } from "../../../base/files/staged_files.ts";
import type { PathSandbox } from "./path_sandbox.ts";
import { isWithin, realPathOf } from "./place.ts";
import { PlaceChanged } from "./file_failure.ts";
import { ToolFailure } from "../failures/tool_failure.ts";
import { type GlobPattern, parseGlob } from "./glob_pattern.ts";
import type { SandboxRoot } from "../../vocabulary/prompt_material.ts";

const MAX_DEPTH = 64;
/**
 * The size of a folder, in bytes of its file system, up to which it is listed synchronously. That takes half of the time, but
 * would block the service's thread for half a second for a hundred thousand entries.
 */
const SMALL_FOLDER_BYTES = 32 * 1024;
/** The number of attempts to list a folder that is moved during the listing. */
const ATTEMPTS = 3;

/** The options of walkGlob(): the maximum number of visited entries, the time limit, and the passed over entries. */
export interface WalkBounds {
  maxEntries: number;
  maxMs: number;
  clock: Clock;
  signal: AbortSignal;
  /**
   * Returns a test of the entries of a folder: true for an entry that the walk passes over. If this function is given, the
   * pattern is parsed as `whole` (see parseGlob).
   */
  passOver?(
    folder: string,
    entries: readonly Deno.DirEntry[],
  ): Promise<(entry: Deno.DirEntry) => boolean>;
}

/**
 * Returns the entries of the sandbox that match the pattern. Throws ToolFailure if the pattern is invalid, or all its
 * matches would be outside the sandbox.
 */
export async function walkGlob(
  sandbox: PathSandbox,
  text: string,
  bounds: WalkBounds,
): Promise<Walk> {
  const roots = await sandbox.roots();
  const pattern = parseGlob(text, sandbox, { roots, whole: bounds.passOver !== undefined });
  const walk = new Walk(sandbox, pattern, bounds);
  for (const start of startsOf(pattern, roots, text)) await walk.from(start);
  return walk;
}

/**
 * Returns the first `most` names in sorted order. Sorts in parts, because sorting very many names at once would block the
 * service's thread.
 */
export function firstOf(
  names: Iterable<string>,
  { most, compare }: { most: number; compare: ((a: string, b: string) => number) | undefined },
): string[] {
  let first: string[] = [];
  for (const name of names) {
    if (first.length >= 2 * most) first = first.sort(compare).slice(0, most);
    first.push(name);
  }
  return first.sort(compare).slice(0, most);
}

/** A starting point of the walk, and the folder to which the pattern's paths are relative. */
interface Start {
  path: string;
  base: string;
}

function startsOf(
  pattern: GlobPattern,
  roots: readonly SandboxRoot[],
  text: string,
): Start[] {
  const starts: Start[] = [];
  for (const asked of pattern.bases) {
    const { path: base, dangling } = realPathOf(asked, text);
    if (dangling) continue;
    for (const root of roots) {
      if (isWithin(base, root.path)) starts.push({ path: base, base });
      else if (isWithin(root.path, base)) starts.push({ path: root.path, base });
    }
  }
  if (starts.length > 0) return starts;
  throw new ToolFailure(
    `Cannot search for "${text}": it lies outside the allowed paths. Patterns are relative to the workspace, or begin ` +
      "with {alias}/.",
  );
}

/** Returns sentences for the model about the places that a walk left out. */
export function describeGaps({ stopped, hasMoved }: Pick<Walk, "stopped" | "hasMoved">): string[] {
  return [
    ...stopped === undefined ? [] : [
      `(The search was stopped ${stopped}: there may be more. Name a folder to search.)`,
    ],
    ...hasMoved ? ["(A folder was being moved or exchanged, and is left out.)"] : [],
  ];
}

/** A walk, and its result. */
class Walk {
  /**
   * The matches until the walk ended: their paths as shown to the model, with their real paths. The shown path of a folder
   * ends with a slash.
   */
  readonly found = new Map<string, string>();
  /** The reason that the walk ended early, as a clause such as `after 10 seconds`, or undefined. */
  stopped: string | undefined;
  /** True if a folder was skipped because it was moved during every attempt to list it. */
  hasMoved = false;
  readonly #sandbox: PathSandbox;
  readonly #pattern: GlobPattern;
  readonly #bounds: WalkBounds;
  readonly #deadline: number;
  readonly #seen = new Set<string>();
  #entries = 0;

  constructor(sandbox: PathSandbox, pattern: GlobPattern, bounds: WalkBounds) {
    this.#sandbox = sandbox;
    this.#pattern = pattern;
    this.#bounds = bounds;
    this.#deadline = bounds.clock.now() + bounds.maxMs;
  }

  async from(start: Start): Promise<void> {
    const key = `${start.path}\n${start.base}`;
    if (this.#seen.has(key) || !this.#sandbox.isReadable(start.path)) return;
    this.#seen.add(key);
    const info = await stat(start.path).catch(unlessUnreadable);
    if (info?.isFile()) this.#note(start.path, start.base, { file: start.path });
    if (!info?.isDirectory()) return;
    const above = relative(start.base, start.path);
    const folders = [{ path: start.path, depth: above === "" ? 0 : above.split(sep).length }];
    const deepest = Math.min(this.#pattern.depth, MAX_DEPTH);
    for (let folder; this.stopped === undefined && (folder = folders.pop()) !== undefined;) {
      for (const path of await this.#folder(folder.path, start.base)) {
        if (folder.depth < deepest) folders.push({ path, depth: folder.depth + 1 });
      }
    }
  }

  /** Records the matches in one folder. Returns the paths of the subfolders to walk. */
  async #folder(folder: string, base: string): Promise<string[]> {
    this.#bounds.signal.throwIfAborted();
    const entries = await this.#list(folder);
    const passes = await this.#bounds.passOver?.(folder, entries);
    const isReadable = this.#sandbox.readableEntries(folder);
    const deeper: string[] = [];
    for (const entry of entries) {
      if (!this.#count()) break;
      const turn = nextSlice();
      if (turn !== undefined) await turn;
      this.#bounds.signal.throwIfAborted();
      const path = folder.endsWith(sep) ? folder + entry.name : folder + sep + entry.name;
      if (STAGED_NAME.test(entry.name) || !isReadable(path, entry.name)) continue;
      if (passes?.(entry)) continue;
      const hidden = entry.name.startsWith(".") && !this.#pattern.hidden;
      if (entry.isDirectory) {
        if (this.#pattern.depth !== Infinity) this.#note(path, base);
        if (!hidden) deeper.push(path);
      } else {
        const file = entry.isFile ? path : await this.#targetOf(entry, path);
        if (file !== undefined) this.#note(path, base, { file });
      }
    }
    return deeper;
  }

  /** Returns the entries of a folder that did not move during the listing. Returns none if the folder is unreadable. */
  async #list(folder: string): Promise<Deno.DirEntry[]> {
    try {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const entries = await this.#listOnce(folder);
        if (entries !== undefined) return entries;
      }
      this.hasMoved = true;
    } catch (error) {
      unlessUnreadable(error);
    }
    return [];
  }

  async #listOnce(path: string): Promise<Deno.DirEntry[] | undefined> {
    try {
      using folder = await this.#sandbox.openFolder(path, "read");
      const place = folder.pathOf(".");
      const isSmall = Deno.statSync(place).size <= SMALL_FOLDER_BYTES;
      const entries: Deno.DirEntry[] = isSmall ? [...Deno.readDirSync(place)] : [];
      if (!isSmall) {
        for await (const entry of Deno.readDir(place)) {
          if (entries.push(entry) > this.#bounds.maxEntries) break;
        }
      }
      folder.requireUnmoved();
      return entries;
    } catch (error) {
      if (error instanceof PlaceChanged) return undefined;
      throw error;
    }
  }

  /** Returns the real path of the file that a symlink points to. Undefined if the agent may not read it. */
  async #targetOf(entry: Deno.DirEntry, path: string): Promise<string | undefined> {
    if (!entry.isSymlink) return undefined;
    const target = await realpath(path).catch(unlessUnreadable);
    if (target === undefined || !this.#sandbox.isReadable(target)) return undefined;
    return (await stat(target).catch(unlessUnreadable))?.isFile() ? target : undefined;
  }

  /** Records a path if it matches: of a folder, or of an entry that is the given file. */
  #note(path: string, base: string, { file }: { file?: string } = {}): void {
    // The path lies in the base, and both are normal.
    const rest = path.slice(base.endsWith(sep) ? base.length : base.length + 1);
    if (!this.#pattern.matches(rest)) return;
    const shown = this.#sandbox.notation.display(path);
    this.found.set(file === undefined ? `${shown}/` : shown, file ?? path);
  }

  #count(): boolean {
    this.#entries++;
    if (this.#entries > this.#bounds.maxEntries) {
      this.stopped = `after ${this.#bounds.maxEntries} entries`;
    } else if (this.#bounds.clock.now() > this.#deadline) {
      this.stopped = `after ${this.#bounds.maxMs / 1_000} seconds`;
    }
    return this.stopped === undefined;
  }
}

/** Returns undefined for an error that says that an entry is missing or unreadable. Rethrows other errors. */
export function unlessUnreadable(error: unknown): undefined {
  const denied = error instanceof Error && error.name === "NotCapable";
  if (!denied && errorCode(error) === undefined) throw error;
}
