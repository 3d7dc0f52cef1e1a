// Due slots of a schedule, and the rule that decides which of them runs, is skipped or is missed.
import type { ScheduleTrigger } from "../../agents/agent.ts";
import type { ScheduleFire } from "../firing/fire.ts";

/** The delay up to which a slot still counts as on time. */
const GRACE_MS = 60_000;

/** The slots of a schedule in a stretch of time; at least one. */
export interface DueSlots {
  first: number;
  last: number;
  /** The second-last slot, or null when there is one slot only. */
  beforeLast: number | null;
  count: number;
}

/** Consecutive slots that do not run. */
export interface PassedSlots {
  outcome: "skipped" | "missed";
  reason: string;
  first: number;
  last: number;
  count: number;
}

/** The decision on due slots: the slots that do not run, and the slot after them that does. */
export interface SlotVerdict {
  passed?: PassedSlots;
  run?: ScheduleFire;
}

/**
 * Judges all slots that are due now. The newest runs when it is at most a minute late, or, with `catchUp`, at any
 * delay; the others are missed. While triggers are paused, all slots are skipped.
 */
export function judgeSlots(
  due: DueSlots,
  circumstances: {
    now: number;
    /** The reason why no slot may run; undefined when one may. */
    pauseReason: string | undefined;
    catchUp: ScheduleTrigger["catchUp"];
    /** The reason for missed slots. */
    missReason: string;
  },
): SlotVerdict {
  const { now, pauseReason, catchUp, missReason } = circumstances;
  const { first, last, beforeLast, count } = due;
  if (pauseReason !== undefined) {
    return { passed: { outcome: "skipped", reason: pauseReason, first, last, count } };
  }
  const missed = { outcome: "missed", reason: missReason, first } as const;
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
