// When a schedule is due. Pure: instants in, instants out, in milliseconds since the epoch.
import type { ScheduleTrigger } from "../../agents/agent.ts";
import { parseCron } from "../../agents/cron_expression.ts";
import { parseDuration } from "../../../base/durations.ts";
import { CronSchedule } from "./cron_schedule.ts";
import type { DueSlots } from "./due_slots.ts";

/** Times at which something is due, for ever. */
export interface Schedule {
  /** Equal for schedules with the same times: another one begins anew. */
  readonly fingerprint: string;
  /** The first slot after an instant; null when none comes any more. `anchor` is where the schedule began. */
  nextAfter(instant: number, anchor: number): number | null;
  /** The slots after `from`, until `to`; null when there is none. */
  slotsIn(stretch: { from: number; to: number; anchor: number }): DueSlots | null;
}

/** The schedule of a trigger that parsed. `timeZone` is the machine's IANA zone, for a trigger that names none. */
export function createSchedule(
  { every, cron, timezone }: Pick<ScheduleTrigger, "every" | "cron" | "timezone">,
  options: { timeZone: string },
): Schedule {
  if (every !== undefined) return new IntervalSchedule(parseDuration(every) ?? 0);
  const expression = parseCron(cron ?? "");
  if ("reason" in expression) throw new TypeError(`A cron that ${expression.reason}: ${cron}`);
  return new CronSchedule(expression, {
    zone: timezone ?? options.timeZone,
    declaredZone: timezone,
  });
}

/** Due once in every so many milliseconds of real time, for the first time one interval after the anchor. */
class IntervalSchedule implements Schedule {
  readonly fingerprint: string;
  readonly #everyMs: number;

  constructor(everyMs: number) {
    if (everyMs < 1) throw new TypeError("An interval must be a duration");
    this.#everyMs = everyMs;
    this.fingerprint = `every ${everyMs}`;
  }

  nextAfter(instant: number, anchor: number): number {
    return anchor + this.#beat(this.#beatsUntil(instant, anchor) + 1);
  }

  slotsIn({ from, to, anchor }: { from: number; to: number; anchor: number }): DueSlots | null {
    const before = this.#beatsUntil(from, anchor);
    const until = this.#beatsUntil(to, anchor);
    const count = until - before;
    if (count < 1) return null;
    return {
      first: anchor + this.#beat(before + 1),
      last: anchor + this.#beat(until),
      beforeLast: count === 1 ? null : anchor + this.#beat(until - 1),
      count,
    };
  }

  #beat(number: number): number {
    return number * this.#everyMs;
  }

  #beatsUntil(instant: number, anchor: number): number {
    return Math.max(0, Math.floor((instant - anchor) / this.#everyMs));
  }
}
