// Makes files private to their owner, even if an older program, a backup or a wide umask made them public.
import { errorCode } from "../error_code.ts";

/**
 * Removes all permissions except the owner's; a missing file is not an error. Only regular files change: a link may
 * point to a shared file such as /dev/null. Throws errors of the file system.
 */
export function makePrivate(path: string): void {
  try {
    const { isFile, mode } = Deno.lstatSync(path);
    if (isFile && mode !== null && (mode & 0o077) !== 0) Deno.chmodSync(path, 0o600);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    // Owned by another user, or on a file system without modes. Its folder is closed to others in any case.
    if (!(error instanceof Deno.errors.PermissionDenied || isUnsupported(error))) throw error;
  }
}

function isUnsupported(error: unknown): boolean {
  return ["ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EROFS"].includes(errorCode(error) ?? "");
}
