// Calculates the next time, the last time and the number of times of a cron expression, without time zones. local_time.ts
// defines wall times.
import type { CronExpression } from "../../agents/triggers/cron_expression.ts";
import { DAY_MS, MINUTE_MS } from "../../../base/time_units.ts";

/** The number of days to search for a match. The interval between two 29 Februaries is at most eight years. */
const SEARCHED_DAYS = 9 * 366;

/** The wall times that match a cron expression. Each is a whole minute. */
export class CronCalendar {
  readonly #cron: CronExpression;

  constructor(cron: CronExpression) {
    this.#cron = cron;
  }

  /** Returns the first matching wall time after `wall`, or null without a match. */
  nextAfter(wall: number): number | null {
    const today = Math.floor(wall / DAY_MS);
    for (let day = today; day <= today + SEARCHED_DAYS; day++) {
      const next = this.#timesOf(day).find((time) => time > wall);
      if (next !== undefined) return next;
    }
    return null;
  }

  /** Returns the last matching wall time at or before `wall`, or null without a match. */
  lastUntil(wall: number): number | null {
    const today = Math.floor(wall / DAY_MS);
    for (let day = today; day >= today - SEARCHED_DAYS; day--) {
      const last = this.#timesOf(day).findLast((time) => time <= wall);
      if (last !== undefined) return last;
    }
    return null;
  }

  /** Returns the number of matching wall times after `from` and up to `to`. The run time grows with the number of days. */
  count({ from, to }: { from: number; to: number }): number {
    let count = 0;
    for (let day = Math.floor(from / DAY_MS); day * DAY_MS <= to; day++) {
      count += this.#timesOf(day).filter((time) => from < time && time <= to).length;
    }
    return count;
  }

  /** Returns the matching wall times of a day, in order. The day is a number of days since the epoch. */
  #timesOf(day: number): number[] {
    const date = new Date(day * DAY_MS);
    const { months, days, weekdays, either, hours, minutes } = this.#cron;
    if (!months.includes(date.getUTCMonth() + 1)) return [];
    const isDate = days.includes(date.getUTCDate());
    const isWeekday = weekdays.includes(date.getUTCDay());
    if (either ? !isDate && !isWeekday : !isDate || !isWeekday) return [];
    return hours.flatMap((hour) =>
      minutes.map((minute) => day * DAY_MS + (hour * 60 + minute) * MINUTE_MS)
    );
  }
}
