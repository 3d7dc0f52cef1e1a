// The recap for a person who was away: counts of executions by their end, and the time from which it counts.
import { DAY_MS } from "../base/time_units.ts";
import type { RecapBody } from "../api/schemas/report_schemas.ts";

/** A recap reaches back no further. */
export const LONGEST_RECAP_MS = 7 * DAY_MS;

/** Executions that came to the same, with a word for that and the status that it is like. */
export interface RunCount {
  count: number;
  word: string;
  status: "success" | "error" | "aborted" | "running" | "waiting";
}

/** The executions of a recap by what they came to, without what none did. */
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
