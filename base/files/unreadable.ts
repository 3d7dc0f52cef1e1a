// Why a file or a folder cannot be read or made, as text for the person whose file it is.
import { describeDenied } from "../denied_permission.ts";

/** The end of a sentence for what the file system threw. Rethrows what is not a failure of the file system. */
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

/** Whether the file system threw it; bugs of ours carry no code. */
export function isFileFailure(error: unknown): error is Error {
  return error instanceof Error && "code" in error;
}
