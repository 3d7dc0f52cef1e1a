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
 * The instants of an expression whose hour and minute have no `*`. A wall time that the clock skips is due at the end of
 * the gap. A repeated wall time is due only the first time.
 */
export class FixedTimes implements CronTimes {
  readonly #calendar: CronCalendar;
  readonly #local: LocalTime;

  constructor(calendar: CronCalendar, local: LocalTime) {
    this.#calendar = calendar;
    this.#local = local;
  }

  nextAfter(instant: number): number | null {
    const wall = this.#calendar.nextAfter(this.#local.highestUntil(instant));
    return wall === null ? null : this.#local.firstInstant(wall);
  }

  lastUntil(instant: number): number | null {
    const wall = this.#calendar.lastUntil(this.#local.highestUntil(instant));
    return wall === null ? null : this.#local.firstInstant(wall);
  }

  count(from: number, to: number): number {
    const [low, high] = [from, to].map((at) => this.#local.highestUntil(at));
    let count = this.#calendar.count({ from: low!, to: high! });
    // All wall times in a gap, including its end, are due together and count once.
    for (const { after, until } of this.#local.gapsIn({ from, to })) {
      count -= Math.max(0, this.#calendar.count({ from: after, to: until }) - 1);
    }
    return count;
  }
}

/**
 * The instants of an expression whose minute or hour begins with `*`. A repeated wall time is due both times, a skipped
 * wall time never.
 */
export class WildcardTimes implements CronTimes {
  readonly #calendar: CronCalendar;
  readonly #local: LocalTime;

  constructor(calendar: CronCalendar, local: LocalTime) {
    this.#calendar = calendar;
    this.#local = local;
  }

  nextAfter(instant: number): number | null {
    let stretch = this.#local.stretchAt(instant);
    for (let after = instant;;) {
      const wall = this.#calendar.nextAfter(after + stretch.offset);
      if (wall === null) return null;
      if (wall - stretch.offset < stretch.end) return wall - stretch.offset;
      after = stretch.end - 1;
      stretch = this.#local.stretchAt(stretch.end);
    }
  }

  lastUntil(instant: number): number | null {
    for (let until = instant;;) {
      const { start, offset } = this.#local.stretchAt(until);
      const wall = this.#calendar.lastUntil(until + offset);
      if (wall === null) return null;
      if (wall - offset >= start) return wall - offset;
      until = start - 1;
    }
  }

  count(from: number, to: number): number {
    let count = 0;
    for (let after = from; after < to;) {
      const { end, offset } = this.#local.stretchAt(after + 1);
      const until = Math.min(to, end - 1);
      count += this.#calendar.count({ from: after + offset, to: until + offset });
      after = until;
    }
    return count;
  }
}
