// What a watched path of an agent file means: places on the disk, each with a pattern below it where the path holds wildcards.
import { expandBraces, MAX_BRACE_PATTERNS } from "../../base/files/glob_braces.ts";
import { type PathBase, resolveAgentPath } from "./agent_paths.ts";

/** One place that a watched path stands for. */
export interface WatchPath {
  /** Absolute: the folder or file itself, or the last folder before the first wildcard. */
  base: string;
  /** The pattern that paths relative to `base` must match; undefined: no wildcards, all of `base` is meant. */
  glob?: string;
  /** Whether folders inside `base` count. */
  recursive: boolean;
}

/** So many files and folders may be at a watched path; where there are more, nothing is watched. */
export const MOST_WATCHED_ENTRIES = 100_000;

const ESCAPED = /\\([*?[\]{},()!+@|\\])/g;

/**
 * Reads a path as written in an agent file: first its braces are expanded, as if each path that they stand for were written
 * itself; these may overlap. In each, `~` is expanded, and it is relative to the workspace. Wildcards are `*`, `?` and
 * `[abc]`; a backslash before one, a brace or a comma takes its meaning away. Everything else stands for itself: folders are
 * called `Notes (2024)`. Throws TypeError for braces that stand for too many paths, which the agent file's check refuses.
 */
export function readWatchPaths(text: string, base: PathBase): WatchPath[] {
  const paths = expandBraces(text, MAX_BRACE_PATTERNS);
  if (paths === undefined) {
    throw new TypeError(`A watched path whose braces stand for more than ${MAX_BRACE_PATTERNS}`);
  }
  // An empty part of leading braces, as in `{,a}/*`, must mean neither the whole workspace nor the root of the disk.
  const isAbsolute = /(^|[{,])\//.test(text);
  return paths.filter((path) => path !== "" && (isAbsolute || !path.startsWith("/")))
    .map((path) => readWatchPath(path, base));
}

/** The same for a path without braces that stand for several. */
function readWatchPath(text: string, base: PathBase): WatchPath {
  const parts = text.split("/");
  const first = parts.findIndex(isPattern);
  const fixed = (first < 0 ? parts : parts.slice(0, first)).join("/").replaceAll(ESCAPED, "$1");
  const rooted = fixed === "" && text.startsWith("/") ? "/" : fixed;
  const place = resolveAgentPath(rooted, base);
  if (first < 0) return { base: place, recursive: true };
  const glob = parts.slice(first).filter((part) => part !== "" && part !== ".").join("/");
  return { base: place, glob, recursive: glob.includes("/") || glob.includes("**") };
}

function isPattern(part: string): boolean {
  const plain = part.replaceAll(/\\./g, "");
  return /[*?]|\[[^\]]+\]/.test(plain);
}

/** Why nothing is watched at a path, and what to do. */
export function describeTooLarge(path: string, most: number): string {
  return `${path} holds more than ${
    most.toLocaleString("en-US")
  } files and folders, too many to watch; ` +
    "name smaller folders in trigger.paths";
}
