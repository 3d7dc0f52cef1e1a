// How long to wait before a file change that could not be stored, or run for, is tried again.
import { backoffMs } from "../backoff.ts";

const RETRY = { firstMs: 5_000, longestMs: 300_000 };

/** Milliseconds to wait after so many failures in a row. */
export function retryMs(failures: number): number {
  return backoffMs(failures, RETRY);
}
