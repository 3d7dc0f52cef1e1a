// Handles missing paths: recognizes the system errors for them, and turns these errors into undefined. After any other
// error it is unknown whether a path exists.
import { errorCode } from "../error_code.ts";

/** Returns true for the error of a path that does not exist, or cannot exist because its parent is no folder. */
export function isMissing(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory ||
    ["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "");
}

/** Returns undefined for the error of a missing path, and throws every other error. */
export function ignoreMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
}

/** Returns the result of a synchronous operation on a path, or undefined if the path is missing. */
export function ifThere<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    return ignoreMissing(error);
  }
}
