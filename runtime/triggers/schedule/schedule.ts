// Calculates the due times (slots) of a schedule from instants in milliseconds since the epoch. Has no side effects.
import type { Trigger } from "../../agents/agent.ts";
import { fnv1a } from "../../../base/text/fnv1a.ts";
import { MINUTE_MS } from "../../../base/time_units.ts";
import { type CronExpression, parseCron } from "../../agents/triggers/cron_expression.ts";
import { parseDuration } from "../../../base/durations.ts";
import type { DueSlots } from "./due_slots.ts";
import { CronCalendar, fixedTimes, wildcardTimes } from "./cron_times.ts";
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
  trigger: Pick<Trigger<"schedule">, "every" | "cron" | "timezone"> & { type?: string },
  options: { timeZone: string; agentId?: string },
): Schedule {
  const everyMs = parseDuration(trigger.every ?? "") ?? 0;
  if (trigger.type === "change") {
    return intervalSchedule(everyMs, firstCheckOf(options, everyMs));
  }
  const { every, cron, timezone } = trigger;
  if (every !== undefined) return intervalSchedule(everyMs);
  const expression = parseCron(cron ?? "");
  if ("reason" in expression) throw new TypeError(`A cron that ${expression.reason}: ${cron}`);
  return cronSchedule(expression, { zone: timezone ?? options.timeZone, declaredZone: timezone });
}

/** Returns the time of an agent's first check after its start. The agents' checks are spread over a minute. */
function firstCheckOf({ agentId = "" }: { agentId?: string }, everyMs: number): number {
  return 1 + Number(fnv1a(agentId) % BigInt(Math.min(everyMs, MINUTE_MS)));
}

/**
 * Creates a schedule that is due once per interval of elapsed time. The first slot is one interval after the anchor, or
 * `firstCheckMs` after it.
 */
function intervalSchedule(everyMs: number, firstCheckMs?: number): Schedule {
  if (everyMs < 1) throw new TypeError("An interval must be a duration");
  const firstMs = firstCheckMs ?? everyMs;
  /** Returns the slot with a number. The slot 1 is the first after the anchor. */
  const slotAt = (number: number, anchor: number) => anchor + firstMs + (number - 1) * everyMs;
  const slotsUntil = (instant: number, anchor: number) =>
    Math.max(0, Math.floor((instant - anchor - firstMs) / everyMs) + 1);
  return {
    fingerprint: `${firstCheckMs === undefined ? "every" : "check every"} ${everyMs}`,
    isElapsed: true,
    nextAfter: (instant, anchor) => slotAt(slotsUntil(instant, anchor) + 1, anchor),
    slotsIn({ from, to, anchor }) {
      const before = slotsUntil(from, anchor);
      const until = slotsUntil(to, anchor);
      if (until <= before) return null;
      return {
        first: slotAt(before + 1, anchor),
        last: slotAt(until, anchor),
        beforeLast: until === before + 1 ? null : slotAt(until - 1, anchor),
        count: until - before,
      };
    },
  };
}

/** Creates the schedule of a cron expression in a time zone. `declaredZone` is the zone in the agent's file, if any. */
function cronSchedule(
  cron: CronExpression,
  { zone, declaredZone }: { zone: string; declaredZone: string | undefined },
): Schedule {
  const times = (cron.isWildcard ? wildcardTimes : fixedTimes)(
    new CronCalendar(cron),
    new LocalTime(zone),
  );
  return {
    // The fingerprint excludes the machine's own zone, so that a change of that zone does not restart schedules.
    fingerprint: ["cron", cron.text, ...declaredZone === undefined ? [] : [declaredZone]].join(" "),
    isElapsed: false,
    nextAfter: (instant) => times.nextAfter(instant),
    slotsIn({ from, to }) {
      const first = times.nextAfter(from);
      if (first === null || first > to) return null;
      const last = times.lastUntil(to) ?? first;
      const count = times.count(from, to);
      return { first, last, beforeLast: count > 1 ? times.lastUntil(last - 1) : null, count };
    },
  };
}
