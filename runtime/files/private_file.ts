// Files that are their owner's alone, also where an older program, a backup or a wide umask made them otherwise.

/** Takes a file away from everybody but its owner; a missing one is no error. Throws what the file system throws. */
export function makePrivate(path: string): void {
  try {
    const { mode } = Deno.statSync(path);
    if (mode !== null && (mode & 0o077) !== 0) Deno.chmodSync(path, 0o600);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    // Somebody else's, whose folder is closed to others all the same: no reason to stop the service.
    if (!(error instanceof Deno.errors.PermissionDenied)) throw error;
  }
}
