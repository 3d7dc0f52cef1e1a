// What a glob pattern of a model means: where to look, and which names match.
import { join, posix, resolve } from "node:path";
import { compileGlob, type GlobMatcher } from "../../../base/files/glob.ts";
import type { PathSandbox, SandboxRoot } from "./path_sandbox.ts";
import { ToolFailure } from "../tool_failure.ts";

const ROOTED = /^(\{[a-z][a-z0-9_]*\}|~)(?:\/+|$)/;
/** The characters that make a name a pattern. */
const WILD = /[*?[{\\]/;

/** A pattern taken apart. */
export interface GlobPattern {
  /** Absolute folders (or files) below which it is looked for. */
  bases: string[];
  /** Whether a path relative to a base matches; an empty one is the base itself. */
  matches: GlobMatcher;
  /** Whether names that begin with a dot can match. */
  hidden: boolean;
  /** How many folders below a base a match can lie at most; infinite with `**`. */
  depth: number;
}

/**
 * Reads a pattern. A relative one is meant in the workspace and in each declared path. Throws ToolFailure for one that
 * cannot be looked for.
 */
export function parseGlob(
  text: string,
  sandbox: PathSandbox,
  roots: readonly SandboxRoot[],
): GlobPattern {
  refuseOdd(text);
  const prefix = ROOTED.exec(text);
  const rest = prefix === null ? text : text.slice(prefix[0].length);
  const { base, glob } = splitBase(rest);
  if (glob.split("/").includes("..")) {
    throw new ToolFailure(`Cannot look for "${text}": ".." cannot follow a wildcard.`);
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
    // Slashes inside of braces count, too: that may look too deep, never not deep enough.
    depth: glob.includes("**") ? Infinity : glob.split("/").length - 1,
  };
}

function refuseOdd(text: string): void {
  if (text.trim() === "") throw new ToolFailure("The pattern is empty. Give one such as **/*.md.");
  if (text.includes("\0")) {
    throw new ToolFailure("The pattern contains a NUL character, which is not allowed.");
  }
}

/** The folders before the first name that is a pattern, and the rest. */
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
