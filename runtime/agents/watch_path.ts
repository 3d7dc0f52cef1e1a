// Parses the watched paths of an agent file to base folders on the disk, each with a pattern if the path has wildcards.
import { expandBraces, MAX_BRACE_PATTERNS } from "../../base/files/glob_braces.ts";
import { formatCount } from "../../base/text/plural.ts";
import { type PathBase, resolveAgentPath } from "./agent_paths.ts";

/** A folder or file on the disk that a watched path refers to. */
export interface WatchPath {
  /** The absolute path of the folder or file, or of the last folder before the first wildcard. */
  base: string;
  /** The pattern for paths relative to `base`. Absent for a path without wildcards: everything below `base` is watched. */
  glob?: string;
  /** True if folders below `base` are watched, too. */
  recursive: boolean;
}

/** The maximum number of files and folders below a watched path. A larger folder is not watched. */
export const MAX_WATCHED_ENTRIES = 100_000;

const ESCAPED = /\\([*?[\]{},()!+@|\\])/g;

/**
 * Parses a path of an agent file. Expands braces first, so that the result is the same as for several paths without braces;
 * the paths may overlap. Then expands `~`, and resolves relative paths from the workspace. Wildcards are `*`, `?` and
 * `[abc]`. A backslash before a wildcard, brace or comma makes it literal. Every other character is literal: folders may be
 * called `Notes (2024)`. Throws TypeError for braces that stand for too many paths. The check of agent files refuses such
 * braces.
 */
export function readWatchPaths(text: string, base: PathBase): WatchPath[] {
  const paths = expandBraces(text, MAX_BRACE_PATTERNS);
  if (paths === undefined) {
    throw new TypeError(`A watched path whose braces stand for more than ${MAX_BRACE_PATTERNS}`);
  }
  // An empty part of leading braces, as in `{,a}/*`, must not stand for the workspace or the root of the disk.
  const isAbsolute = /(^|[{,])\//.test(text);
  return paths.filter((path) => path !== "" && (isAbsolute || !path.startsWith("/")))
    .map((path) => readWatchPath(path, base));
}

/** Parses a path without braces. */
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

/** Returns the text about a path that is not watched because it contains too many files, with the remedy. */
export function describeTooLarge(path: string, most: number): string {
  return `${path} holds more than ${formatCount(most)} files and folders, too many to watch; ` +
    "name smaller folders in trigger.paths";
}
