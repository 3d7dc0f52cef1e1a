// Locks files, so that only one process at a time holds a lock. The lock of a process ends with the process. A lock is
// released before its file is closed: a process that is being started has a copy of the descriptor and would keep the lock.
// Locked files are never removed, because two processes could then lock two files of the same name.
import { ifThere } from "./missing.ts";

/**
 * Takes the lock of a file and returns a Disposable that releases it, or undefined if another process holds the lock.
 * Creates a missing file with mode 600.
 */
export function takeLock(path: string): Disposable | undefined {
  return tryLock(Deno.openSync(path, { read: true, write: true, create: true, mode: 0o600 }));
}

/**
 * Returns true if a process holds the lock of a file. Takes the lock for a moment, so it must be called only while no
 * service starts.
 */
export function isLocked(path: string): boolean {
  const file = ifThere(() => Deno.openSync(path, { read: true, write: true }));
  if (file === undefined) return false;
  using taken = tryLock(file);
  return taken === undefined;
}

/**
 * Locks an open file or folder. Returns a Disposable that releases the lock and closes the file, or closes the file and returns
 * undefined if the lock is held.
 */
export function tryLock(file: Deno.FsFile): Disposable | undefined {
  try {
    if (file.tryLockSync(true)) return { [Symbol.dispose]: () => giveBack(file) };
  } catch (error) {
    file.close();
    throw error;
  }
  file.close();
  return undefined;
}

function giveBack(file: Deno.FsFile): void {
  file.unlockSync();
  file.close();
}
