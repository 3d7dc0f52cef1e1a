// The instants of a cron expression in a time zone, and what summer time does to them: the rules of cron(8).
import type { CronCalendar } from "./cron_calendar.ts";
import type { LocalTime } from "./local_time.ts";

/** Instants in milliseconds since the epoch. */
export interface CronTimes {
  nextAfter(instant: number): number | null;
  /** The last one up to an instant, this one included. */
  lastUntil(instant: number): number | null;
  /** The number of them after `from`, until `to`. */
  count(from: number, to: number): number;
}

/**
 * Due whenever the wall clock first shows a time that the expression names, or first shows a later one. A local time that the
 * clock jumps over is due at the end of the gap; one that it shows twice is due the first time.
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

/** Due whenever the wall clock shows a time that the expression names: in both of two equal hours, and in none that is skipped. */
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
