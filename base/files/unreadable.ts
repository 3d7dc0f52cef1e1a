// Describes why a file or a folder cannot be read or created, for the file's owner.
import { describeDenied } from "../denied_permission.ts";

/** Returns the reason of a file system error as a clause, such as `it is a folder`. Throws every other error. */
export function unreadableReason(error: unknown): string {
  if (error instanceof Deno.errors.PermissionDenied) return "it is not permitted";
  const denied = describeDenied(error);
  if (denied !== undefined) return denied;
  if (error instanceof Deno.errors.IsADirectory) return "it is a folder";
  if (error instanceof Deno.errors.NotADirectory) return "a file stands where a folder should";
  if (error instanceof Deno.errors.FilesystemLoop) return "its links lead in a circle";
  if (isFileFailure(error)) return error.message;
  throw error;
}

/** Returns true for an error of the file system, which has a code. Errors that bugs cause have no code. */
export function isFileFailure(error: unknown): error is Error {
  return error instanceof Error && "code" in error;
}
