// The instants of a cron expression in a time zone. Daylight saving time follows the rules of cron(8).
import type { CronCalendar } from "./cron_calendar.ts";
import type { LocalTime } from "./local_time.ts";

/** Instants in milliseconds since the epoch. */
export interface CronTimes {
  nextAfter(instant: number): number | null;
  /** Returns the last instant up to and including this one. */
  lastUntil(instant: number): number | null;
  /** Returns the number of instants after `from`, up to `to`. */
  count(from: number, to: number): number;
}

/**
 * Due when the wall clock first shows a time of the expression, or first shows a later one. A local time in a gap of
 * the clock is due at the end of the gap. A repeated local time is due the first time.
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
    // All times in a gap, and one at its very end, are one slot.
    for (const { after, until } of this.#local.gapsIn({ from, to })) {
      count -= Math.max(0, this.#calendar.count({ from: after, to: until }) - 1);
    }
    return count;
  }
}

/** Due whenever the wall clock shows a time of the expression: in both of two repeated hours, never in a skipped one. */
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
