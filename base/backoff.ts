// How long to wait before something that failed is tried again.

/** Milliseconds to wait after so many failures in a row, the first one being 1: twice as long each time, up to a bound. */
export function backoffMs(
  failures: number,
  { firstMs, longestMs }: { firstMs: number; longestMs: number },
): number {
  return Math.min(longestMs, firstMs * 2 ** (failures - 1));
}
