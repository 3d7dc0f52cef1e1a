// What is not there: which errors of the system say so (all others only say that it cannot be told), and looks that give an
// answer in place of such an error.
import { errorCode } from "../error_code.ts";

/** Whether a path does not exist, or cannot because something on the way to it is not a folder. */
export function isMissing(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory ||
    ["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "");
}

/** Turns "it is not there" into undefined; rethrows every other error. */
export function ignoreMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
}

/** What is done with a path at once; undefined where it is not there. */
export function ifThere<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    return ignoreMissing(error);
  }
}
