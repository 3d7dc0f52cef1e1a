// The usage of executions, by day and agent. The store sums quarters of an hour. Days of a time zone are sums of those,
// because midnight falls on a quarter of an hour in every zone.
import { addCosts } from "../../base/cost.ts";
import { MINUTE_MS } from "../../base/time_units.ts";

/** The interval of the store's sums. */
export const USAGE_STEP_MS = 15 * MINUTE_MS;

/** The summed usage of executions of one agent. */
export interface Usage {
  agentId: string;
  executions: number;
  /** The number of executions that ended with success. Executions that are still open count neither here nor in `failed`. */
  succeeded: number;
  failed: number;
  inputTokens: number;
  outputTokens: number;
  totalTokens: number;
  /** Null if the price of none of them is known. */
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
  /** Midnight in the zone; milliseconds since the epoch. */
  start: number;
}

/** Returns the last `count` days, including today, oldest first. Throws RangeError for an unknown zone. */
export function lastDays(now: number, options: { count: number; timeZone: string }): Day[] {
  const { count, timeZone } = options;
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timeZone)
    .toPlainDate();
  return Array.from({ length: count }, (_, index) => {
    const date = today.subtract({ days: count - 1 - index });
    return { date: String(date), start: date.toZonedDateTime(timeZone).epochMilliseconds };
  });
}

/** Sums steps into days. Both are sorted oldest first. No step may be before the first day. */
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
