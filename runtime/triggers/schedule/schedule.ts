// Calculates the due times (slots) of a schedule from instants in milliseconds since the epoch. Has no side effects.
import type { ScheduleTrigger } from "../../agents/agent.ts";
import { fnv1a } from "../../../base/text/fnv1a.ts";
import { MINUTE_MS } from "../../../base/time_units.ts";
import { type CronExpression, parseCron } from "../../agents/triggers/cron_expression.ts";
import { parseDuration } from "../../../base/durations.ts";
import type { DueSlots } from "./due_slots.ts";
import { CronCalendar } from "./cron_calendar.ts";
import { type CronTimes, fixedTimes, wildcardTimes } from "./cron_times.ts";
import { LocalTime } from "./local_time.ts";

/** A series of due times. */
export interface Schedule {
  /** A key that is equal for schedules with equal due times. When it changes, the schedule restarts. */
  readonly fingerprint: string;
  /** True for intervals. They count elapsed time, so they continue unchanged when the wall clock is set back. */
  readonly isElapsed: boolean;
  /** Returns the first slot after an instant, or null if there is none. `anchor` is the start time of the schedule. */
  nextAfter(instant: number, anchor: number): number | null;
  /** Returns the slots after `from` and up to `to`, or null if there are none. */
  slotsIn(stretch: { from: number; to: number; anchor: number }): DueSlots | null;
}

/** Creates the schedule of a parsed trigger. That of a change trigger has the times of its checks. `timeZone` is the machine's IANA zone, used if the trigger names no zone. */
export function createSchedule(
  trigger: Pick<ScheduleTrigger, "every" | "cron" | "timezone"> & { type?: string },
  options: { timeZone: string; agentId?: string },
): Schedule {
  const everyMs = parseDuration(trigger.every ?? "") ?? 0;
  if (trigger.type === "change") {
    return new IntervalSchedule(everyMs, firstCheckMs(options, everyMs));
  }
  const { every, cron, timezone } = trigger;
  if (every !== undefined) return new IntervalSchedule(everyMs);
  const expression = parseCron(cron ?? "");
  if ("reason" in expression) throw new TypeError(`A cron that ${expression.reason}: ${cron}`);
  return new CronSchedule(expression, {
    zone: timezone ?? options.timeZone,
    declaredZone: timezone,
  });
}

/** Returns the time of an agent's first check after its start. The agents' checks are spread over a minute. */
function firstCheckMs({ agentId = "" }: { agentId?: string }, everyMs: number): number {
  return 1 + Number(fnv1a(agentId) % BigInt(Math.min(everyMs, MINUTE_MS)));
}

/**
 * A schedule that is due once per interval of elapsed time. The first slot is one interval after the anchor, or `firstMs`
 * after it.
 */
class IntervalSchedule implements Schedule {
  readonly fingerprint: string;
  readonly isElapsed = true;
  readonly #everyMs: number;
  /** The time from the anchor back to the start of the first interval. */
  readonly #leadMs: number;

  constructor(everyMs: number, firstMs?: number) {
    if (everyMs < 1) throw new TypeError("An interval must be a duration");
    this.#everyMs = everyMs;
    this.#leadMs = firstMs === undefined ? 0 : everyMs - firstMs;
    this.fingerprint = `${firstMs === undefined ? "every" : "check every"} ${everyMs}`;
  }

  nextAfter(instant: number, start: number): number {
    const anchor = start - this.#leadMs;
    return anchor + this.#beat(this.#beatsUntil(instant, anchor) + 1);
  }

  slotsIn(stretch: { from: number; to: number; anchor: number }): DueSlots | null {
    const { from, to } = stretch;
    const anchor = stretch.anchor - this.#leadMs;
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

/** A schedule of a cron expression in a time zone. */
class CronSchedule implements Schedule {
  readonly fingerprint: string;
  readonly isElapsed = false;
  readonly #times: CronTimes;

  /** Creates a schedule. `zone` is the IANA zone to use, `declaredZone` the zone in the agent's file, if any. */
  constructor(cron: CronExpression, options: { zone: string; declaredZone: string | undefined }) {
    const { zone, declaredZone } = options;
    // The fingerprint excludes the machine's own zone, so that a change of that zone does not restart schedules.
    this.fingerprint = ["cron", cron.text, ...declaredZone === undefined ? [] : [declaredZone]]
      .join(" ");
    const [calendar, local] = [new CronCalendar(cron), new LocalTime(zone)];
    this.#times = (cron.isWildcard ? wildcardTimes : fixedTimes)(calendar, local);
  }

  nextAfter(instant: number): number | null {
    return this.#times.nextAfter(instant);
  }

  slotsIn({ from, to }: { from: number; to: number }): DueSlots | null {
    const first = this.nextAfter(from);
    if (first === null || first > to) return null;
    const last = this.#times.lastUntil(to) ?? first;
    const count = this.#times.count(from, to);
    return { first, last, beforeLast: count > 1 ? this.#times.lastUntil(last - 1) : null, count };
  }
}
