// Calculates the next time, the last time and the number of times of a cron expression, without time zones. local_time.ts
// defines wall times.
import type { CronExpression } from "../../agents/cron_expression.ts";
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
    if (this.#isDay(today)) {
      const minute = this.#minuteAfter(Math.floor((wall - today * DAY_MS) / MINUTE_MS));
      if (minute !== undefined) return today * DAY_MS + minute * MINUTE_MS;
    }
    for (let day = today + 1; day <= today + SEARCHED_DAYS; day++) {
      if (this.#isDay(day)) return day * DAY_MS + this.#firstMinute() * MINUTE_MS;
    }
    return null;
  }

  /** Returns the last matching wall time at or before `wall`, or null without a match. */
  lastUntil(wall: number): number | null {
    const today = Math.floor(wall / DAY_MS);
    if (this.#isDay(today)) {
      const minute = this.#minuteUntil(Math.floor((wall - today * DAY_MS) / MINUTE_MS));
      if (minute !== undefined) return today * DAY_MS + minute * MINUTE_MS;
    }
    for (let day = today - 1; day >= today - SEARCHED_DAYS; day--) {
      if (this.#isDay(day)) return day * DAY_MS + this.#lastMinute() * MINUTE_MS;
    }
    return null;
  }

  /** Returns the number of matching wall times after `from` and up to `to`. The run time grows with the number of days. */
  count({ from, to }: { from: number; to: number }): number {
    const [first, last] = [Math.floor(from / DAY_MS), Math.floor(to / DAY_MS)];
    let count = 0;
    for (let day = first; day <= last; day++) {
      if (!this.#isDay(day)) continue;
      const until = day === last ? this.#countUntil(to - day * DAY_MS) : this.#perDay();
      const before = day === first ? this.#countUntil(from - day * DAY_MS) : 0;
      count += Math.max(0, until - before);
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

  #perDay(): number {
    return this.#cron.hours.length * this.#cron.minutes.length;
  }

  #firstMinute(): number {
    return (this.#cron.hours[0] ?? 0) * 60 + (this.#cron.minutes[0] ?? 0);
  }

  #lastMinute(): number {
    return (this.#cron.hours.at(-1) ?? 0) * 60 + (this.#cron.minutes.at(-1) ?? 0);
  }

  /** Returns the first matching minute of a day after `minute`, or undefined without a match. */
  #minuteAfter(minute: number): number | undefined {
    const { hours, minutes } = this.#cron;
    const hour = Math.floor(minute / 60);
    const inHour = minutes.find((one) => one > minute - hour * 60);
    if (inHour !== undefined && hours.includes(hour)) return hour * 60 + inHour;
    const next = hours.find((one) => one > hour);
    return next === undefined ? undefined : next * 60 + (minutes[0] ?? 0);
  }

  /** Returns the last matching minute of a day at or before `minute`, or undefined without a match. */
  #minuteUntil(minute: number): number | undefined {
    const { hours, minutes } = this.#cron;
    const hour = Math.floor(minute / 60);
    const inHour = minutes.findLast((one) => one <= minute - hour * 60);
    if (inHour !== undefined && hours.includes(hour)) return hour * 60 + inHour;
    const previous = hours.findLast((one) => one < hour);
    return previous === undefined ? undefined : previous * 60 + (minutes.at(-1) ?? 0);
  }

  /** Returns the number of matching times in the first `ms` milliseconds of a matching day. */
  #countUntil(ms: number): number {
    const { hours, minutes } = this.#cron;
    const minute = Math.floor(ms / MINUTE_MS);
    const hour = Math.floor(minute / 60);
    const whole = hours.filter((one) => one < hour).length * minutes.length;
    if (!hours.includes(hour)) return whole;
    return whole + minutes.filter((one) => one <= minute - hour * 60).length;
  }
}
