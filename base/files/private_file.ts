// Makes files private to their owner, because an older program, a backup or a wide umask may have made them public.
import { errorCode } from "../error_code.ts";

/**
 * Removes the permissions of everyone but the owner. Does nothing for a missing path. Changes only regular files, because a
 * link may point to a shared file such as /dev/null. Throws errors of the file system.
 */
export function makePrivate(path: string): void {
  try {
    const { isFile, mode } = Deno.lstatSync(path);
    if (isFile && mode !== null && (mode & 0o077) !== 0) Deno.chmodSync(path, 0o600);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    // The file belongs to another user, or the file system has no modes. The file's folder is private in both cases.
    if (!(error instanceof Deno.errors.PermissionDenied || isUnsupported(error))) throw error;
  }
}

function isUnsupported(error: unknown): boolean {
  return ["ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EROFS"].includes(errorCode(error) ?? "");
}
