// Calculates the instants of a cron expression in a time zone. Changes to and from daylight saving time follow cron(8).
import type { LocalTime } from "./local_time.ts";
import type { CronExpression } from "../../agents/triggers/cron_expression.ts";
import { DAY_MS, MINUTE_MS } from "../../../base/time_units.ts";

/** The instants at which a cron expression is due, in milliseconds since the epoch. */
export interface CronTimes {
  nextAfter(instant: number): number | null;
  /** Returns the last due instant at or before `instant`, or null if there is none. */
  lastUntil(instant: number): number | null;
  /** Returns the number of due instants after `from` and up to `to`. */
  count(from: number, to: number): number;
}

/**
 * Returns the instants of an expression whose hour and minute have no `*`. A wall time that the clock skips is due at the end
 * of the gap. A repeated wall time is due only the first time.
 */
export function fixedTimes(calendar: CronCalendar, local: LocalTime): CronTimes {
  const toInstant = (wall: number | null) => wall === null ? null : local.firstInstant(wall);
  return {
    nextAfter: (instant) => toInstant(calendar.nextAfter(local.highestUntil(instant))),
    lastUntil: (instant) => toInstant(calendar.lastUntil(local.highestUntil(instant))),
    count(from, to) {
      let count = calendar.count({ from: local.highestUntil(from), to: local.highestUntil(to) });
      // All wall times in a gap, including its end, are due together and count once.
      for (const { after, until } of local.gapsIn({ from, to })) {
        count -= Math.max(0, calendar.count({ from: after, to: until }) - 1);
      }
      return count;
    },
  };
}

/**
 * Returns the instants of an expression whose minute or hour begins with `*`. A repeated wall time is due both times, a
 * skipped wall time never.
 */
export function wildcardTimes(calendar: CronCalendar, local: LocalTime): CronTimes {
  return {
    nextAfter(instant) {
      let stretch = local.stretchAt(instant);
      for (let after = instant;;) {
        const wall = calendar.nextAfter(after + stretch.offset);
        if (wall === null) return null;
        if (wall - stretch.offset < stretch.end) return wall - stretch.offset;
        after = stretch.end - 1;
        stretch = local.stretchAt(stretch.end);
      }
    },
    lastUntil(instant) {
      for (let until = instant;;) {
        const { start, offset } = local.stretchAt(until);
        const wall = calendar.lastUntil(until + offset);
        if (wall === null) return null;
        if (wall - offset >= start) return wall - offset;
        until = start - 1;
      }
    },
    count(from, to) {
      let count = 0;
      for (let after = from; after < to;) {
        const { end, offset } = local.stretchAt(after + 1);
        const until = Math.min(to, end - 1);
        count += calendar.count({ from: after + offset, to: until + offset });
        after = until;
      }
      return count;
    },
  };
}

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
