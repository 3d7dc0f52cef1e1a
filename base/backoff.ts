// Calculates the delay before a failed operation is retried.

/**
 * Returns the milliseconds to wait after a number of consecutive failures, of which the first is 1. The delay doubles with
 * each failure, up to a limit.
 */
export function backoffMs(
  failures: number,
  { firstMs, longestMs }: { firstMs: number; longestMs: number },
): number {
  return Math.min(longestMs, firstMs * 2 ** (failures - 1));
}
