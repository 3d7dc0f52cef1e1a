// Detects changes of a file without reading it.

/**
 * The length of the ticks of file times: 2 s in some file systems, 10 ms in others. Two writes within one tick cannot be
 * distinguished.
 */
const LONG_TICK_MS = 2_000;
const TICK_MS = 20;

/**
 * Returns a text that is equal for an unchanged file. Returns undefined if the file changed so recently that a further
 * change could go unnoticed; the file must then be read again. Uses the system's clock, because file times come from it.
 */
export function stampFile(info: Deno.FileInfo): string | undefined {
  const changedAt = info.mtime?.getTime();
  if (changedAt === undefined) return undefined;
  // Only a file system with short ticks has times with fractions of a second.
  const tick = changedAt % 1_000 === 0 ? LONG_TICK_MS : TICK_MS;
  if (Math.abs(Date.now() - changedAt) < tick) return undefined;
  return `${info.dev}:${info.ino}:${info.size}:${changedAt}:${info.ctime?.getTime()}`;
}

/** Returns a text that changes with each write of the file; undefined if the file cannot be read. */
export async function versionOf(path: string): Promise<string | undefined> {
  try {
    const { dev, ino, size, mtime, ctime } = await Deno.stat(path);
    return [dev, ino, size, mtime?.getTime(), ctime?.getTime()].join(":");
  } catch {
    // The code that reads the file reports the error.
    return undefined;
  }
}
