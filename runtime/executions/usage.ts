// What executions used, by day and agent. The store adds up quarters of an hour; the days of a time zone are made of them,
// because every zone's midnight falls on such a quarter.

/** The step by which the store adds up. */
export const USAGE_STEP_MS = 900_000;

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

/** The last days of a time zone, today included, oldest first. */
export interface Days {
  dates: string[];
  /** When the first of them begins; milliseconds since the epoch. */
  from: number;
}

/** The last `count` days at an instant. Throws RangeError for a zone that is unknown. */
export function lastDays(now: number, options: { count: number; timeZone: string }): Days {
  const { count, timeZone } = options;
  const today = dateAt(now, timeZone);
  const dates = Array.from({ length: count }, (_, i) => today.subtract({ days: count - 1 - i }));
  const [first = today] = dates;
  return {
    dates: dates.map(String),
    from: first.toZonedDateTime(timeZone).epochMilliseconds,
  };
}

/** Steps folded into the days of a time zone, in the order in which they came. */
export function toDailyUsage(steps: Iterable<UsageStep>, timeZone: string): DailyUsage[] {
  const days = new Map<string, DailyUsage>();
  for (const { start, ...usage } of steps) {
    const date = String(dateAt(start, timeZone));
    const key = `${date} ${usage.agentId}`;
    const before = days.get(key);
    days.set(key, before === undefined ? { date, ...usage } : { date, ...sum(before, usage) });
  }
  return [...days.values()];
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
    costUsd: a.costUsd === null && b.costUsd === null ? null : (a.costUsd ?? 0) + (b.costUsd ?? 0),
  };
}

function dateAt(instant: number, timeZone: string): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timeZone).toPlainDate();
}
