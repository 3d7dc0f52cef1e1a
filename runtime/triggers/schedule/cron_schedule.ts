// A cron expression in a time zone, as a schedule (see schedule.ts). A local time that the clock jumps over is due at the
// end of the gap; one that it shows twice is due the first time.
import type { CronExpression } from "../../agents/cron_expression.ts";
import { CronCalendar } from "./cron_calendar.ts";
import { LocalTime } from "./local_time.ts";
import type { DueSlots } from "./due_slots.ts";

/** Due whenever the wall first shows a time that the expression names, or first shows a later one. */
export class CronSchedule {
  readonly fingerprint: string;
  readonly #calendar: CronCalendar;
  readonly #local: LocalTime;

  /** `zone` is the IANA zone that counts; `declaredZone` the one that the agent names, if it names one. */
  constructor(cron: CronExpression, options: { zone: string; declaredZone: string | undefined }) {
    const { zone, declaredZone } = options;
    // The machine's own zone is not part of the schedule's identity: a machine that moves edits no agent.
    this.fingerprint = ["cron", cron.text, ...declaredZone === undefined ? [] : [declaredZone]]
      .join(" ");
    this.#calendar = new CronCalendar(cron);
    this.#local = new LocalTime(zone);
  }

  nextAfter(instant: number): number | null {
    const wall = this.#calendar.nextAfter(this.#local.highestUntil(instant));
    return wall === null ? null : this.#local.firstInstant(wall);
  }

  slotsIn({ from, to }: { from: number; to: number }): DueSlots | null {
    const first = this.nextAfter(from);
    if (first === null || first > to) return null;
    const highest = this.#local.highestUntil(to);
    const last = this.#instantUntil(highest) ?? first;
    const count = this.#calendar.count({ from: this.#local.highestUntil(from), to: highest }) -
      this.#foldedInGaps(from, to);
    const beforeLast = count > 1 ? this.#instantUntil(this.#local.highestUntil(last - 1)) : null;
    return { first, last, beforeLast, count };
  }

  #instantUntil(wall: number): number | null {
    const last = this.#calendar.lastUntil(wall);
    return last === null ? null : this.#local.firstInstant(last);
  }

  /** All times in a gap, and one at its very end, are one slot: how many are too many when each is counted. */
  #foldedInGaps(from: number, to: number): number {
    let folded = 0;
    for (const { after, until } of this.#local.gapsIn({ from, to })) {
      folded += Math.max(0, this.#calendar.count({ from: after, to: until }) - 1);
    }
    return folded;
  }
}
