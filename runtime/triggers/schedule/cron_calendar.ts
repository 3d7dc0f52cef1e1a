// Calculates the next time, the last time and the number of times of a cron expression, without time zones. local_time.ts
// defines wall times.
import type { CronExpression } from "../../agents/triggers/cron_expression.ts";
import { DAY_MS, MINUTE_MS } from "../../../base/time_units.ts";

/** The number of days to search for a match. The interval between two 29 Februaries is at most eight years. */
const SEARCHED_DAYS = 9 * 366;

/** The wall times that match a cron expression. Each is a whole minute. */
export class CronCalendar {
  readonly #cron: CronExpression;
  /** The matching minutes of a matching day, in order. */
  readonly #minutes: Uint16Array;

  constructor(cron: CronExpression) {
    this.#cron = cron;
    const { hours, minutes } = cron;
    this.#minutes = Uint16Array.from(
      hours.flatMap((hour) => minutes.map((minute) => hour * 60 + minute)),
    );
  }

  /** Returns the first matching wall time after `wall`, or null without a match. */
  nextAfter(wall: number): number | null {
    const today = Math.floor(wall / DAY_MS);
    for (let day = today; day <= today + SEARCHED_DAYS; day++) {
      if (!this.#isDay(day)) continue;
      const minute = this.#minutes.find((one) => timeOf(day, one) > wall);
      if (minute !== undefined) return timeOf(day, minute);
    }
    return null;
  }

  /** Returns the last matching wall time at or before `wall`, or null without a match. */
  lastUntil(wall: number): number | null {
    const today = Math.floor(wall / DAY_MS);
    for (let day = today; day >= today - SEARCHED_DAYS; day--) {
      if (!this.#isDay(day)) continue;
      const minute = this.#minutes.findLast((one) => timeOf(day, one) <= wall);
      if (minute !== undefined) return timeOf(day, minute);
    }
    return null;
  }

  /** Returns the number of matching wall times after `from` and up to `to`. The run time grows with the number of days. */
  count({ from, to }: { from: number; to: number }): number {
    const [first, last] = [Math.floor(from / DAY_MS), Math.floor(to / DAY_MS)];
    const isIn = (time: number) => from < time && time <= to;
    let count = 0;
    for (let day = first; day <= last; day++) {
      if (!this.#isDay(day)) continue;
      const isWhole = first < day && day < last;
      const minutes = isWhole
        ? this.#minutes
        : this.#minutes.filter((one) => isIn(timeOf(day, one)));
      count += minutes.length;
    }
    return count;
  }

  #isDay(day: number): boolean {
    const date = new Date(day * DAY_MS);
    const { months, days, weekdays, either } = this.#cron;
    if (!months.includes(date.getUTCMonth() + 1)) return false;
    const isDate = days.includes(date.getUTCDate());
    const isWeekday = weekdays.includes(date.getUTCDay());
    return either ? isDate || isWeekday : isDate && isWeekday;
  }
}

/** Returns a wall time from a number of days since the epoch and a minute of the day. */
function timeOf(day: number, minute: number): number {
  return day * DAY_MS + minute * MINUTE_MS;
}
