// Files that are their owner's alone, also where an older program, a backup or a wide umask made them otherwise.
import { errorCode } from "../error_code.ts";

/**
 * Takes a file away from everybody but its owner; a missing one is not an error. What is not a file stays as it is: behind a link
 * there may be what belongs to all, /dev/null say. Throws what the file system throws.
 */
export function makePrivate(path: string): void {
  try {
    const { isFile, mode } = Deno.lstatSync(path);
    if (isFile && mode !== null && (mode & 0o077) !== 0) Deno.chmodSync(path, 0o600);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    // Somebody else's, or on a file system without modes: its folder is closed to others all the same.
    if (!(error instanceof Deno.errors.PermissionDenied || isUnsupported(error))) throw error;
  }
}

function isUnsupported(error: unknown): boolean {
  return ["ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EROFS"].includes(errorCode(error) ?? "");
}
