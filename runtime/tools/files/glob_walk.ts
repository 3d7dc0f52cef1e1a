// Finds the entries of a sandbox that match a pattern. The walk never leaves the allowed roots and never enters a symlinked
// folder. Files in the symlink's target are found by their real paths if the target is inside the roots.
import { realpath, stat } from "node:fs/promises";
import { join, posix, relative, resolve, sep } from "node:path";
import type { Clock } from "../../../base/clock.ts";
import { errorCode } from "../../../base/error_code.ts";
import { nextSlice } from "../../../base/slices.ts";
import { STAGED_NAME } from "../../../base/files/staged_files.ts";
import type { PathSandbox, SandboxRoot } from "./path_sandbox.ts";
import { isWithin, realPathOf } from "./place.ts";
import { PlaceChanged } from "./file_failure.ts";
import { ToolFailure } from "../failures/tool_failure.ts";
import { compileGlob, type GlobMatcher } from "../../../base/files/glob.ts";

const MAX_DEPTH = 64;
/** The number of attempts to list a folder that is moved during the listing. */
const ATTEMPTS = 3;

/** The result of walkGlob(). */
export interface GlobOutcome {
  /** The paths of the first matches as shown to the model, sorted. The path of a folder ends with a slash. */
  found: string[];
  /** The number of all matches until the walk ended. */
  count: number;
  /** The reason that the walk ended early, as a clause such as `after 10 seconds`, or undefined. */
  stopped: string | undefined;
  /** True if a folder was skipped because it was moved during every attempt to list it. */
  hasMoved: boolean;
}

/** The options of walkGlob(): the maximum numbers of results and of visited entries, and the time limit. */
export interface WalkBounds {
  maxFound: number;
  maxEntries: number;
  maxMs: number;
  clock: Clock;
  signal: AbortSignal;
}

/**
 * Returns the entries of the sandbox that match the pattern. Throws ToolFailure if the pattern is invalid, or all its
 * matches would be outside the sandbox.
 */
export async function walkGlob(
  sandbox: PathSandbox,
  text: string,
  bounds: WalkBounds,
): Promise<GlobOutcome> {
  const roots = await sandbox.roots();
  const pattern = parseGlob(text, sandbox, roots);
  const walk = new Walk(sandbox, pattern, bounds);
  for (const start of startsOf(pattern, roots, text)) await walk.from(start);
  const { stopped, hasMoved } = walk;
  return { found: firstOf(walk.found, bounds.maxFound), count: walk.found.size, stopped, hasMoved };
}

/**
 * Returns the first `most` names in sorted order. Sorts in parts, because sorting very many names at once would block the
 * service's thread.
 */
function firstOf(names: ReadonlySet<string>, most: number): string[] {
  let first: string[] = [];
  for (const name of names) {
    if (first.length >= 2 * most) first = first.sort().slice(0, most);
    first.push(name);
  }
  return first.sort().slice(0, most);
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

class Walk {
  readonly found = new Set<string>();
  stopped: string | undefined;
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
    if (info?.isFile()) this.#note(start.path, start.base, false);
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
    const deeper: string[] = [];
    for (const entry of entries) {
      if (!this.#count()) break;
      const turn = nextSlice();
      if (turn !== undefined) await turn;
      this.#bounds.signal.throwIfAborted();
      const path = join(folder, entry.name);
      if (STAGED_NAME.test(entry.name) || !this.#sandbox.isReadable(path)) continue;
      const hidden = entry.name.startsWith(".") && !this.#pattern.hidden;
      if (entry.isDirectory) {
        if (this.#pattern.depth !== Infinity) this.#note(path, base, true);
        if (!hidden) deeper.push(path);
      } else if (await this.#isListedFile(entry, path)) {
        this.#note(path, base, false);
      }
    }
    return deeper;
  }

  /**
   * Returns the entries of a folder that did not move during the listing. Returns none if the folder is unreadable.
   * Deno.readDir() reads entries one by one: node:fs would block the service's thread for half a second in a folder of a
   * hundred thousand entries.
   */
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
      const entries: Deno.DirEntry[] = [];
      for await (const entry of Deno.readDir(folder.pathOf("."))) {
        if (entries.push(entry) > this.#bounds.maxEntries) break;
      }
      folder.requireUnmoved();
      return entries;
    } catch (error) {
      if (error instanceof PlaceChanged) return undefined;
      throw error;
    }
  }

  async #isListedFile(entry: Deno.DirEntry, path: string): Promise<boolean> {
    if (entry.isFile) return true;
    if (!entry.isSymlink) return false;
    const target = await realpath(path).catch(unlessUnreadable);
    if (target === undefined || !this.#sandbox.isReadable(target)) return false;
    return (await stat(target).catch(unlessUnreadable))?.isFile() ?? false;
  }

  #note(path: string, base: string, folder: boolean): void {
    if (!this.#pattern.matches(relative(base, path))) return;
    this.found.add(this.#sandbox.notation.display(path) + (folder ? "/" : ""));
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
function unlessUnreadable(error: unknown): undefined {
  const denied = error instanceof Error && error.name === "NotCapable";
  if (!denied && errorCode(error) === undefined) throw error;
}

const ROOTED = /^(\{[a-z][a-z0-9_]*\}|~)(?:\/+|$)/;
/** The characters that make a path segment a wildcard pattern. */
const WILD = /[*?[{\\]/;

/** A parsed pattern of file_glob. */
interface GlobPattern {
  /** The absolute paths of the folders or files to search. */
  bases: string[];
  /** Tests a path relative to a base. An empty path means the base. */
  matches: GlobMatcher;
  /** True if the pattern can match names that begin with a dot. */
  hidden: boolean;
  /** The maximum number of folders between a base and a match. Infinite for a pattern with `**`. */
  depth: number;
}

/**
 * Parses a pattern. A relative pattern applies to the workspace and to each declared path. Throws ToolFailure for an
 * invalid pattern.
 */
function parseGlob(
  text: string,
  sandbox: PathSandbox,
  roots: readonly SandboxRoot[],
): GlobPattern {
  refuseOdd(text);
  const prefix = ROOTED.exec(text);
  const rest = prefix === null ? text : text.slice(prefix[0].length);
  const { base, glob } = splitBase(rest);
  if (glob.split("/").includes("..")) {
    throw new ToolFailure(`Cannot search for "${text}": ".." cannot follow a wildcard.`);
  }
  const bases = prefix !== null
    ? [sandbox.notation.expand(join(prefix[1] ?? "", base))]
    : posix.isAbsolute(rest)
    ? [sandbox.notation.expand(base)]
    : [sandbox.workspace, ...roots.map(({ path }) => path)].map((folder) => resolve(folder, base));
  const match = glob === "" ? (path: string) => path === "" : compileGlob(glob, { dot: false });
  if (typeof match !== "function") throw new ToolFailure(`The pattern ${match.reason}.`);
  return {
    bases: [...new Set(bases)],
    matches: match,
    hidden: /(^|[/{,])\./.test(glob),
    // The slashes inside braces count, too, so the depth may be too large, which only makes the walk longer.
    depth: glob.includes("**") ? Infinity : glob.split("/").length - 1,
  };
}

function refuseOdd(text: string): void {
  if (text.trim() === "") throw new ToolFailure("The pattern is empty. Give one such as **/*.md.");
  if (text.includes("\0")) {
    throw new ToolFailure("The pattern contains a NUL character, which is not allowed.");
  }
}

/** Splits a pattern into the folders before its first wildcard, and the remaining pattern. */
function splitBase(text: string): { base: string; glob: string } {
  const names = text.split("/");
  const first = names.findIndex((name) => WILD.test(name));
  if (first < 0) return { base: text, glob: "" };
  const base = names.slice(0, first).join("/");
  return {
    base: base === "" && text.startsWith("/") ? "/" : base,
    glob: names.slice(first).filter((name) => name !== ".").join("/"),
  };
}
