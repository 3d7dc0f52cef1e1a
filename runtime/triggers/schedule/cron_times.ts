// Calculates the instants of a cron expression in a time zone. Changes to and from daylight saving time follow cron(8).
import type { CronCalendar } from "./cron_calendar.ts";
import type { LocalTime } from "./local_time.ts";

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
