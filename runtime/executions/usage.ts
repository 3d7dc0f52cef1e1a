// The usage of executions by day and agent. The store keeps sums for each quarter of an hour. In every time zone a day
// begins at a quarter of an hour, so a day's usage is a sum of quarters.
import { addCosts } from "../../base/cost.ts";
import type { ExecutionTrigger } from "../vocabulary/trigger_kinds.ts";
import { MINUTE_MS } from "../../base/time_units.ts";

/** The length of the store's intervals in milliseconds. */
export const USAGE_STEP_MS = 15 * MINUTE_MS;

/** The summed usage of one agent's executions, or of those with one model or one trigger. */
export interface Usage {
  agentId: string;
  /** Present if the usage is divided by models: `provider/name`, empty for no model. */
  model?: string;
  /** Present if the usage is divided by triggers. */
  trigger?: ExecutionTrigger;
  executions: number;
  /** The number of successful executions. Open executions count neither here nor in `failed`. */
  succeeded: number;
  failed: number;
  /** The summed duration of the ended executions in milliseconds. */
  durationMs: number;
  inputTokens: number;
  outputTokens: number;
  totalTokens: number;
  /** The summed cost in dollars. Null if the cost of none of the executions is known. */
  costUsd: number | null;
}

/** The usage of executions that began in one quarter of an hour. */
export interface UsageStep extends Usage {
  /** The beginning of the interval in milliseconds since the epoch. */
  start: number;
}

/** The usage of executions that began on one day. */
export interface DailyUsage extends Usage {
  /** The date, such as `2026-01-31`. */
  date: string;
}

/** A calendar day in a time zone. */
export interface Day {
  /** The date, such as `2026-01-31`. */
  date: string;
  /** Midnight in the time zone, in milliseconds since the epoch. */
  start: number;
}

/** Returns the last `count` days including today, oldest first. Throws RangeError for an unknown time zone. */
export function lastDays(now: number, options: { count: number; timeZone: string }): Day[] {
  const { count, timeZone } = options;
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timeZone)
    .toPlainDate();
  return Array.from({ length: count }, (_, index) => {
    const date = today.subtract({ days: count - 1 - index });
    return { date: String(date), start: date.toZonedDateTime(timeZone).epochMilliseconds };
  });
}

/**
 * Sums the usage of quarters of an hour by day. `steps` and `days` are sorted oldest first. No step may be before the first
 * day.
 */
export function toDailyUsage(steps: Iterable<UsageStep>, days: readonly Day[]): DailyUsage[] {
  const usageOf = new Map<string, DailyUsage>();
  let index = 0;
  for (const { start, ...usage } of steps) {
    while ((days[index + 1]?.start ?? Infinity) <= start) index++;
    const date = days[index]?.date ?? "";
    const key = [date, usage.agentId, usage.model, usage.trigger].join(" ");
    const before = usageOf.get(key);
    usageOf.set(key, before === undefined ? { date, ...usage } : { date, ...sum(before, usage) });
  }
  return [...usageOf.values()];
}

function sum(a: Usage, b: Usage): Usage {
  return {
    ...a,
    executions: a.executions + b.executions,
    succeeded: a.succeeded + b.succeeded,
    failed: a.failed + b.failed,
    durationMs: a.durationMs + b.durationMs,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    totalTokens: a.totalTokens + b.totalTokens,
    costUsd: addCosts(a.costUsd, b.costUsd),
  };
}
