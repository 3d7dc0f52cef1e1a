// Locks between processes: files whose lock dies with its holder. Each is given back before its file is closed: a
// process that is just being started still has a copy of the file, and closing ours alone would leave it the lock.

/** Takes the lock of a file (made with mode 600 where needed) until disposed; undefined while another process holds it. */
export async function takeLock(path: string): Promise<Disposable | undefined> {
  const file = await Deno.open(path, { read: true, write: true, create: true, mode: 0o600 });
  try {
    if (await file.tryLock(true)) return { [Symbol.dispose]: () => giveBack(file) };
  } catch (error) {
    file.close();
    throw error;
  }
  file.close();
  return undefined;
}

/** Whether a process holds the lock of a file. It is taken for a moment: ask only where nothing starts just now. */
export async function isLocked(path: string): Promise<boolean> {
  let file: Deno.FsFile;
  try {
    file = await Deno.open(path, { read: true, write: true });
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
  let taken = false;
  try {
    taken = await file.tryLock(true);
    return !taken;
  } finally {
    if (taken) giveBack(file);
    else file.close();
  }
}

function giveBack(file: Deno.FsFile): void {
  file.unlockSync();
  file.close();
}
