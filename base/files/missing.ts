// Missing paths: the system errors that mean "missing" (all others leave it unknown), and operations that return
// undefined in place of such an error.
import { errorCode } from "../error_code.ts";

/** Returns true for an error of a path that does not exist, or cannot exist because a parent is not a folder. */
export function isMissing(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory ||
    ["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "");
}

/** Converts a "missing" error to undefined; rethrows every other error. */
export function ignoreMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
}

/** Returns the result of a synchronous operation on a path; undefined when the path is missing. */
export function ifThere<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    return ignoreMissing(error);
  }
}
