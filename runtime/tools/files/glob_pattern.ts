// Parses the path patterns of file_glob and file_search.
import { join, posix, resolve } from "node:path";
import { compileGlob, type GlobMatcher } from "../../../base/files/glob.ts";
import { ToolFailure } from "../failures/tool_failure.ts";
import type { PathSandbox } from "./path_sandbox.ts";
import type { SandboxRoot } from "../../vocabulary/prompt_material.ts";

const ROOTED = /^(\{[a-z][a-z0-9_]*\}|~)(?:\/+|$)/;
/** The characters that make a path segment a wildcard pattern. */
const WILD = /[*?[{\\]/;

/** A parsed pattern. */
export interface GlobPattern {
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
 * Parses a pattern. A relative pattern applies to the workspace and to each declared path. Throws ToolFailure for an invalid
 * pattern. `whole` adds two kinds of matches: a `*` also matches hidden names, and the path of a folder also matches all
 * entries below it.
 */
export function parseGlob(
  text: string,
  sandbox: PathSandbox,
  { roots, whole }: { roots: readonly SandboxRoot[]; whole: boolean },
): GlobPattern {
  if (text.trim() === "") throw new ToolFailure("The pattern is empty. Give one such as **/*.md.");
  if (text.includes("\0")) {
    throw new ToolFailure("The pattern contains a NUL character, which is not allowed.");
  }
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
  const match = glob !== ""
    ? compileGlob(glob, { dot: whole })
    : whole
    ? () => true
    : (path: string) => path === "";
  if (typeof match !== "function") throw new ToolFailure(`The pattern ${match.reason}.`);
  return {
    bases: [...new Set(bases)],
    matches: match,
    hidden: whole || /(^|[/{,])\./.test(glob),
    // The slashes inside braces count, too, so the depth may be too large, which only makes the walk longer.
    depth: glob.includes("**") || (whole && glob === "") ? Infinity : glob.split("/").length - 1,
  };
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
