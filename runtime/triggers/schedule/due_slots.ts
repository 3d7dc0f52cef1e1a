// Slots that are due, and the rule of what becomes of them: run, skipped or missed.
import type { ScheduleTrigger } from "../../agents/agent.ts";
import type { ScheduleFire } from "../fire.ts";

/** How late a slot may be and still run as if it were on time. */
const GRACE_MS = 60_000;

/** The slots of a schedule in some stretch of time; at least one. */
export interface DueSlots {
  first: number;
  last: number;
  /** The one before the last; null when there is but one. */
  beforeLast: number | null;
  count: number;
}

/** Slots in a row that do not run. */
export interface PassedSlots {
  outcome: "skipped" | "missed";
  reason: string;
  first: number;
  last: number;
  count: number;
}

/** What becomes of due slots: those that pass, and after them the one that runs. */
export interface SlotVerdict {
  passed?: PassedSlots;
  run?: ScheduleFire;
}

/**
 * Judges all slots that are due now: the newest runs when it is at most a minute late, or, with `catchUp`, however late
 * it is. All others are missed. While triggers are paused, none runs and none is missed: they are skipped.
 */
export function judgeSlots(
  due: DueSlots,
  circumstances: {
    now: number;
    /** Why none may run; undefined: one may. */
    pausedBecause: string | undefined;
    catchUp: ScheduleTrigger["catchUp"];
    /** Why slots were missed. */
    missedBecause: string;
  },
): SlotVerdict {
  const { now, pausedBecause, catchUp, missedBecause } = circumstances;
  const { first, last, beforeLast, count } = due;
  if (pausedBecause !== undefined) {
    return { passed: { outcome: "skipped", reason: pausedBecause, first, last, count } };
  }
  const missed = { outcome: "missed", reason: missedBecause, first } as const;
  const isInTime = now - last <= GRACE_MS;
  if (!isInTime && catchUp !== "once") return { passed: { ...missed, last, count } };
  const run = {
    type: "schedule",
    scheduledFor: last,
    reason: isInTime ? null : "caught up",
  } as const;
  if (beforeLast === null) return { run };
  return { passed: { ...missed, last: beforeLast, count: count - 1 }, run };
}
