// Counts the executions of a recap by their result, and limits the period of a recap.
import { DAY_MS } from "../base/time_units.ts";
import type { RecapBody } from "../api/schemas/report_schemas.ts";

/** The longest period of a recap in milliseconds. */
export const LONGEST_RECAP_MS = 7 * DAY_MS;

/** The number of executions with one result, the word for this result, and a status that determines its color. */
export interface RunCount {
  count: number;
  word: string;
  status: "success" | "error" | "aborted" | "running" | "waiting";
}

/** Returns the number of executions of a recap for each result that occurs. */
export function countRuns({ executions }: Pick<RecapBody, "executions">): RunCount[] {
  const { total, succeeded, failed, running, resting, waiting } = executions;
  const cancelled = total - succeeded - failed - running - resting - waiting;
  const counts: RunCount[] = [
    { count: succeeded, word: "succeeded", status: "success" },
    { count: failed, word: "failed", status: "error" },
    { count: cancelled, word: "cancelled", status: "aborted" },
    { count: running, word: "running", status: "running" },
    { count: resting, word: "resting", status: "running" },
    { count: waiting, word: "waiting", status: "waiting" },
  ];
  return counts.filter(({ count }) => count > 0);
}
