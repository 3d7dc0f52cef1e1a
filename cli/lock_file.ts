// Locks between processes: files whose lock dies with its holder.

/** Takes the lock of a file (made with mode 600 where needed) until disposed; undefined while another process holds it. */
export async function takeLock(path: string): Promise<Disposable | undefined> {
  const file = await Deno.open(path, { read: true, write: true, create: true, mode: 0o600 });
  try {
    if (await file.tryLock(true)) return { [Symbol.dispose]: () => file.close() };
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
  try {
    return !(await file.tryLock(true));
  } finally {
    file.close();
  }
}
