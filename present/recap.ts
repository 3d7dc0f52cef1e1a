// Counts the executions of a recap by their status, and limits its time span.
import { DAY_MS } from "../base/time_units.ts";
import type { RecapBody } from "../api/schemas/report_schemas.ts";

/** The longest time span of a recap. */
export const LONGEST_RECAP_MS = 7 * DAY_MS;

/** The number of executions with one result, its word, and the status with its color. */
export interface RunCount {
  count: number;
  word: string;
  status: "success" | "error" | "aborted" | "running" | "waiting";
}

/** Counts the executions of a recap by their result, without empty counts. */
export function countRuns({ executions }: Pick<RecapBody, "executions">): RunCount[] {
  const { total, succeeded, failed, running, waiting } = executions;
  const cancelled = total - succeeded - failed - running - waiting;
  const counts: RunCount[] = [
    { count: succeeded, word: "succeeded", status: "success" },
    { count: failed, word: "failed", status: "error" },
    { count: cancelled, word: "cancelled", status: "aborted" },
    { count: running, word: "running", status: "running" },
    { count: waiting, word: "waiting", status: "waiting" },
  ];
  return counts.filter(({ count }) => count > 0);
}
