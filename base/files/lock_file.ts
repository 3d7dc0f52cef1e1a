// Locks between processes: locked files, whose locks end with their holder. Each lock is released before its file is
// closed. Otherwise a process that is just being started, which has a copy of the file, would hold the lock until it
// runs its own program. The files stay: removing one would let two processes lock two files of the same name.
import { ifThere } from "./missing.ts";

/** Takes the lock of a file (created with mode 600 if missing) until disposed; undefined while another process holds it. */
export function takeLock(path: string): Disposable | undefined {
  return tryLock(Deno.openSync(path, { read: true, write: true, create: true, mode: 0o600 }));
}

/**
 * Returns true while a process holds the lock of a file. Takes the lock for a moment, so call it only while no service
 * starts.
 */
export function isLocked(path: string): boolean {
  const file = ifThere(() => Deno.openSync(path, { read: true, write: true }));
  if (file === undefined) return false;
  using taken = tryLock(file);
  return taken === undefined;
}

/**
 * Locks the file and returns a Disposable that releases the lock and closes the file. If another process holds the lock,
 * closes the file and returns undefined.
 */
function tryLock(file: Deno.FsFile): Disposable | undefined {
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
