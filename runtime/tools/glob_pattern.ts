// What a glob pattern of a model means: where to look, and which names match.
import { join, posix, resolve } from "node:path";
import picomatch from "picomatch";
import type { PathSandbox, SandboxRoot } from "./path_sandbox.ts";
import { ToolFailure } from "./tool_failure.ts";

const MAX_PATTERN_CHARACTERS = 500;
/** Wildcards multiply the ways in which a name can be tried; these many never take noticeable time. */
const MAX_WILDCARDS_PER_NAME = 4;
const MAX_GLOBSTARS = 4;
const ROOTED = /^(\{[a-z][a-z0-9_]*\}|~)(?:\/+|$)/;

type Matcher = (path: string) => boolean;
const compile: (glob: string, options: { noextglob: boolean; nonegate: boolean }) => Matcher =
  picomatch;
const scan: (pattern: string) => { base: string; glob: string } = picomatch.scan;

/** A pattern taken apart. */
export interface GlobPattern {
  /** Absolute folders (or files) below which it is looked for. */
  bases: string[];
  /** Whether a path relative to a base matches; an empty one is the base itself. */
  matches: Matcher;
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
  const { base, glob } = scan(rest);
  if (glob.split("/").includes("..")) {
    throw new ToolFailure(`Cannot look for "${text}": ".." cannot follow a wildcard.`);
  }
  const bases = prefix !== null
    ? [sandbox.expand(join(prefix[1] ?? "", base))]
    : posix.isAbsolute(rest)
    ? [sandbox.expand(base)]
    : [sandbox.workspace, ...roots.map(({ path }) => path)].map((folder) => resolve(folder, base));
  // Extended globs can take for ever to match; everything else is bounded above.
  const match = glob === "" ? undefined : compile(glob, { noextglob: true, nonegate: true });
  return {
    bases: [...new Set(bases)],
    matches: match ?? ((path) => path === ""),
    hidden: /(^|[/{,])\./.test(glob),
    // Slashes inside of braces count, too: that may look too deep, never not deep enough.
    depth: glob.includes("**") ? Infinity : glob.split("/").length - 1,
  };
}

function refuseOdd(text: string): void {
  if (text.trim() === "") throw new ToolFailure("The pattern is empty. Give one such as **/*.md.");
  if (text.includes("\0")) {
    throw new ToolFailure("The pattern holds a NUL character, which no path can.");
  }
  const wildcards = (name: string) => name.split(/[*?]/).length - 1;
  const names = text.split("/");
  if (
    text.length > MAX_PATTERN_CHARACTERS ||
    names.filter((name) => name.includes("**")).length > MAX_GLOBSTARS ||
    names.some((name) => name !== "**" && wildcards(name) > MAX_WILDCARDS_PER_NAME)
  ) {
    throw new ToolFailure(
      `The pattern is too complicated: at most ${MAX_PATTERN_CHARACTERS} characters, ${MAX_GLOBSTARS} times **, and ` +
        `${MAX_WILDCARDS_PER_NAME} wildcards in one name.`,
    );
  }
}
