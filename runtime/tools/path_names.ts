// Rules on names alone: which texts can be a path at all, and which file names are closed to agents.
import { ToolFailure } from "./tool_failure.ts";

const MAX_PATH_BYTES = 4_095;
const MAX_NAME_BYTES = 255;
/** Characters that some file systems (HFS+) leave out when they compare names. */
const IGNORED_IN_NAMES = /[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;

/** Throws ToolFailure for a text that no file system takes as a path. */
export function checkPathText(text: string): void {
  if (text.trim() === "") throw new ToolFailure("The path is empty. Give a file path.");
  if (text.includes("\0")) {
    throw new ToolFailure("The path holds a NUL character, which no path can.");
  }
  if (!text.isWellFormed()) {
    throw new ToolFailure(
      "The path holds half of a surrogate pair, which no path can. Write it as plain Unicode.",
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

/**
 * Whether a name matches `.env*`, in any letter case. Which file system a folder lies on cannot be known, so the
 * strictest counts: characters that one of them ignores, and compatibility forms, make no difference.
 */
export function isEnvFileName(name: string): boolean {
  return foldName(name).startsWith(".env");
}

/** Whether a name matches `*.db*` or `*.sqlite*`, in any letter case. */
export function isDatabaseName(name: string): boolean {
  const folded = foldName(name);
  return folded.includes(".db") || folded.includes(".sqlite");
}

/** A path in the form in which this platform compares names: letter case counts on Linux, elsewhere not. */
export function foldPath(path: string): string {
  return Deno.build.os === "linux" ? path : path.normalize("NFC").toLowerCase();
}

function foldName(name: string): string {
  return name.replace(IGNORED_IN_NAMES, "").normalize("NFKC").toLowerCase();
}
