// Locks between processes: files whose lock dies with its holder. Each is given back before its file is closed: a
// process that is just being started still has a copy of the file, and closing ours alone would leave it the lock until it
// runs its own program. The files stay: removing one would let two processes lock two files of the same name.
import { ifThere } from "./files/missing.ts";

/** Takes the lock of a file (made with mode 600 where needed) until disposed; undefined while another process holds it. */
export function takeLock(path: string): Disposable | undefined {
  return tryLock(Deno.openSync(path, { read: true, write: true, create: true, mode: 0o600 }));
}

/** Whether a process holds the lock of a file. It is taken for a moment: ask only where nothing starts just now. */
export function isLocked(path: string): boolean {
  const file = ifThere(() => Deno.openSync(path, { read: true, write: true }));
  if (file === undefined) return false;
  using taken = tryLock(file);
  return taken === undefined;
}

/** Closes the file unless its lock was taken; then that is for the holder of the lock. */
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
