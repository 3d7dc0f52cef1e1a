// What a watched path of an agent file means: a place on the disk and, where it holds wildcards, a pattern below it.
import { type PathBase, resolveAgentPath } from "./agent_paths.ts";

/** A watched path taken apart. */
export interface WatchPath {
  /** Absolute: the folder or file itself, or the last folder before the first wildcard. */
  base: string;
  /** The pattern that paths relative to `base` must match; undefined: no wildcards, all of `base` is meant. */
  glob?: string;
  /** Whether folders inside of `base` count. */
  recursive: boolean;
}

const ESCAPED = /\\([*?[\]{}()!+@|\\])/g;

/**
 * Reads a path as written in an agent file: `~` expanded, relative to the workspace. Wildcards are `*`, `?`, `[abc]` and
 * `{a,b}`; a backslash before one takes its meaning away. Everything else stands for itself: folders are called
 * `Notes (2024)`.
 */
export function readWatchPath(text: string, base: PathBase): WatchPath {
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
  return /[*?]|\[[^\]]+\]|\{[^}]*(,|\.\.)[^}]*\}/.test(plain);
}
