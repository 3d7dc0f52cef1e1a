// Detects changes of a file without reading it.

/**
 * Timestamps of file systems have ticks: two writes within one tick are indistinguishable. Some ticks are 2 s long,
 * others 10 ms.
 */
const LONG_TICK_MS = 2_000;
const TICK_MS = 20;

/**
 * Returns a text that is equal for an unchanged file. Returns undefined for a file so young that a further change could
 * go unnoticed; read it again then. Compares with the file system's own clock, so it takes no Clock.
 */
export function stampFile(info: Deno.FileInfo): string | undefined {
  const changedAt = info.mtime?.getTime();
  if (changedAt === undefined) return undefined;
  // A time with fractions of a second comes from a file system with short ticks.
  const tick = changedAt % 1_000 === 0 ? LONG_TICK_MS : TICK_MS;
  if (Math.abs(Date.now() - changedAt) < tick) return undefined;
  return `${info.dev}:${info.ino}:${info.size}:${changedAt}:${info.ctime?.getTime()}`;
}
