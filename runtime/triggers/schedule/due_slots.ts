// Decides which due times (slots) of a schedule run, are skipped, or are missed.
import type { Trigger } from "../../agents/agent.ts";
import type { Slot } from "./slot_store.ts";

/** The maximum delay of a slot that counts as on time. */
const GRACE_MS = 60_000;

/** The due slots of a schedule in a time range: at least one. Times are milliseconds since the epoch. */
export interface DueSlots {
  first: number;
  last: number;
  /** The slot before the last one, or null if there is only one slot. */
  beforeLast: number | null;
  count: number;
}

/** Consecutive slots that do not run, with their common outcome and reason. */
type PassedSlots = Pick<Slot, "scheduledFor" | "outcome" | "reason" | "count"> & {
  lastSlot: number;
};

/** The decision about due slots: first the slots that do not run (`passed`), then the slot that runs (`run`). */
export interface SlotVerdict {
  passed?: PassedSlots;
  /** `reason` is the reason why the run is late, stored with the slot; null when the run is on time. */
  run?: { scheduledFor: number; reason: string | null };
}

/**
 * Decides about all due slots. The newest slot runs if it is at most a minute late, or at any delay if `catchUp` is `once`.
 * The other slots are missed. If there is a `pauseReason`, all slots are skipped.
 */
export function judgeSlots(
  due: DueSlots,
  circumstances: {
    now: number;
    /** The reason why all slots are skipped; undefined if slots may run. */
    pauseReason: string | undefined;
    catchUp: Trigger<"schedule">["catchUp"];
    /** True for the slots of checks. A check that was missed needs no message, because the next one finds the change. */
    isCheck: boolean;
    /** The reason to store with missed slots. */
    missReason: string;
  },
): SlotVerdict {
  const { now, pauseReason, catchUp, isCheck, missReason } = circumstances;
  const { first, last, beforeLast, count } = due;
  if (pauseReason !== undefined) {
    const passed = { scheduledFor: first, lastSlot: last, count };
    return { passed: { ...passed, outcome: "skipped", reason: pauseReason } };
  }
  const missed = {
    outcome: isCheck ? "skipped" : "missed",
    reason: missReason,
    scheduledFor: first,
  } as const;
  const isInTime = now - last <= GRACE_MS;
  if (!isInTime && catchUp !== "once") return { passed: { ...missed, lastSlot: last, count } };
  const run = { scheduledFor: last, reason: isInTime ? null : "caught up" };
  if (beforeLast === null) return { run };
  return { passed: { ...missed, lastSlot: beforeLast, count: count - 1 }, run };
}
