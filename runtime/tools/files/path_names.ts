// Rules on the text of a path alone: which texts can be one at all, and when two are the same.
import { ToolFailure } from "../tool_failure.ts";

const MAX_PATH_BYTES = 4_095;
const MAX_NAME_BYTES = 255;

/** Throws ToolFailure for a text that no file system takes as a path. */
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

/** A path in the form in which this platform compares names: letter case counts on Linux, elsewhere not. */
export function foldPath(path: string): string {
  return Deno.build.os === "linux" ? path : path.normalize("NFC").toLowerCase();
}
