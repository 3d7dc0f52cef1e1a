// Whether a file is still the one that was read, found out without reading it.

/** File systems stamp in ticks (a few ms, on some 2 s): two writes within one tick look the same. */
const TICK_MS = 2_000;

/**
 * A text that is equal for equal files, or undefined while the file is so young that a further change could go
 * unnoticed: then read it again. It compares with the file system's own clock, so no Clock can stand in here.
 */
export function stampFile(info: Deno.FileInfo): string | undefined {
  if (info.mtime === null || Math.abs(Date.now() - info.mtime.getTime()) < TICK_MS) {
    return undefined;
  }
  return `${info.dev}:${info.ino}:${info.size}:${info.mtime.getTime()}:${info.ctime?.getTime()}`;
}
