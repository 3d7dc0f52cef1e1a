// Defines the usage of executions by day, as the other rooms see it.
import type { DailyUsage, Day } from "../executions/usage.ts";
import type { UsageDivision } from "../vocabulary/usage_divisions.ts";

/** A request for usage by day. */
export interface UsageRequest {
  /** The number of days, including today. */
  days: number;
  /** An IANA time zone. The machine's time zone if absent. */
  timeZone?: string;
  /** Divides the usage of each agent further. */
  by?: UsageDivision | undefined;
}

/** The usage of executions by day. */
export interface UsageReport {
  /** The days of the report, oldest first. The last one is today. */
  days: Day[];
  /** The IANA time zone of the days. */
  timeZone: string;
  /** The usage of each agent on each day with a run, oldest day first. */
  entries: DailyUsage[];
}
