// The periods of budgets. Files, requests and the command line use their names.

/** The first moment of a period, and of the next one. */
type Bounds = [start: Temporal.ZonedDateTime, end: Temporal.ZonedDateTime];

/** The periods of the calendar, each with the function that returns the bounds of the period that contains a time. */
const CALENDAR = {
  day: (now: Temporal.ZonedDateTime) => wholeDays(now.toPlainDate(), { days: 1 }, now),
  month: (now: Temporal.ZonedDateTime) =>
    wholeDays(now.toPlainDate().with({ day: 1 }), { months: 1 }, now),
};

/** A period of the calendar. `per_` and its name are the name of the field with its limit. */
export type CalendarPeriod = keyof typeof CALENDAR;
export const CALENDAR_PERIODS = Object.keys(CALENDAR) as CalendarPeriod[];

/** The periods and scopes of a budget: the periods of the calendar, or a run with everything it delegates. */
export const BUDGET_PERIODS = [...CALENDAR_PERIODS, "tree"] as const;
export type BudgetPeriod = typeof BUDGET_PERIODS[number];

/** Returns the bounds of a period, in milliseconds since the epoch. A day may have 23 or 25 hours. */
export function boundsOf(
  period: CalendarPeriod,
  at: { now: number; timeZone: string },
): { start: number; end: number } {
  const now = Temporal.Instant.fromEpochMilliseconds(at.now).toZonedDateTimeISO(at.timeZone);
  const [start, end] = CALENDAR[period](now);
  return { start: start.epochMilliseconds, end: end.epochMilliseconds };
}

function wholeDays(
  first: Temporal.PlainDate,
  length: Temporal.DurationLike,
  { timeZoneId }: Temporal.ZonedDateTime,
): Bounds {
  return [first.toZonedDateTime(timeZoneId), first.add(length).toZonedDateTime(timeZoneId)];
}
