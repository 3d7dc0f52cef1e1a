// What executions used, by day and agent. The store adds up quarters of an hour; the days of a time zone are made of them,
// because every zone's midnight falls on such a quarter.
import { addCosts } from "../../base/cost.ts";
import { MINUTE_MS } from "../../base/time_units.ts";

/** The step by which the store adds up. */
export const USAGE_STEP_MS = 15 * MINUTE_MS;

/** What some executions of one agent used together. */
export interface Usage {
  agentId: string;
  executions: number;
  /** Of these, how many ended with success, and how many otherwise. The rest has not ended. */
  succeeded: number;
  failed: number;
  inputTokens: number;
  outputTokens: number;
  totalTokens: number;
  /** Null where no price is known of any of them. */
  costUsd: number | null;
}

/** The usage of executions that began in one step. */
export interface UsageStep extends Usage {
  /** Milliseconds since the epoch. */
  start: number;
}

/** The usage of executions that began on one day. */
export interface DailyUsage extends Usage {
  /** `2026-01-31` */
  date: string;
}

/** A day of a time zone. */
export interface Day {
  /** `2026-01-31` */
  date: string;
  /** When it begins; milliseconds since the epoch. */
  start: number;
}

/** The last `count` days, today included, oldest first. Throws RangeError for a zone that is unknown. */
export function lastDays(now: number, options: { count: number; timeZone: string }): Day[] {
  const { count, timeZone } = options;
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timeZone)
    .toPlainDate();
  return Array.from({ length: count }, (_, index) => {
    const date = today.subtract({ days: count - 1 - index });
    return { date: String(date), start: date.toZonedDateTime(timeZone).epochMilliseconds };
  });
}

/** Steps, oldest first, folded into days, oldest first. None may lie before the first day. */
export function toDailyUsage(steps: Iterable<UsageStep>, days: readonly Day[]): DailyUsage[] {
  const usageOf = new Map<string, DailyUsage>();
  let index = 0;
  for (const { start, ...usage } of steps) {
    while ((days[index + 1]?.start ?? Infinity) <= start) index++;
    const date = days[index]?.date ?? "";
    const key = `${date} ${usage.agentId}`;
    const before = usageOf.get(key);
    usageOf.set(key, before === undefined ? { date, ...usage } : { date, ...sum(before, usage) });
  }
  return [...usageOf.values()];
}

function sum(a: Usage, b: Usage): Usage {
  return {
    agentId: a.agentId,
    executions: a.executions + b.executions,
    succeeded: a.succeeded + b.succeeded,
    failed: a.failed + b.failed,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    totalTokens: a.totalTokens + b.totalTokens,
    costUsd: addCosts(a.costUsd, b.costUsd),
  };
}
