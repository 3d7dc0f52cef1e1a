// Whether a file is still the one that was read, found out without reading it.

/** File systems stamp in ticks: two writes within one tick look the same. Those of some are 2 s long, of others 10 ms. */
const LONG_TICK_MS = 2_000;
const TICK_MS = 20;

/**
 * A text that is equal for equal files, or undefined while the file is so young that a further change could go
 * unnoticed: then read it again. It compares with the file system's own clock, so no Clock can stand in here.
 */
export function stampFile(info: Deno.FileInfo): string | undefined {
  const changedAt = info.mtime?.getTime();
  if (changedAt === undefined) return undefined;
  // A time with parts of a second comes from a file system with short ticks.
  const tick = changedAt % 1_000 === 0 ? LONG_TICK_MS : TICK_MS;
  if (Math.abs(Date.now() - changedAt) < tick) return undefined;
  return `${info.dev}:${info.ino}:${info.size}:${changedAt}:${info.ctime?.getTime()}`;
}
