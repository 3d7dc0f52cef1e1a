// The delay before a failed operation is tried again.

/**
 * Returns the milliseconds to wait after a number of failures in a row, starting with 1. The delay doubles each time,
 * up to a limit.
 */
export function backoffMs(
  failures: number,
  { firstMs, longestMs }: { firstMs: number; longestMs: number },
): number {
  return Math.min(longestMs, firstMs * 2 ** (failures - 1));
}
