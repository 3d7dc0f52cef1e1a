// How long to wait before a file change that could not be stored, or run for, is tried again.

const RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 300_000;

/** Milliseconds to wait after so many failures in a row: twice as long each time, up to five minutes. */
export function retryMs(failures: number): number {
  return Math.min(LONGEST_RETRY_MS, RETRY_MS * 2 ** (failures - 1));
}
