// A schedule under a wall clock that was set back.
import type { Schedule } from "./schedule.ts";
import type { ScheduleState } from "./slot_store.ts";

/** A difference up to this is an adjustment of the clock: it was not set. */
export const ADJUSTMENT_MS = 1_000;

/**
 * Returns the state of a schedule moved back with the clock, or undefined if the schedule can go on as it is. `byMs`: the
 * distance that the clock was set back by; 0 if nobody saw it, as after a restart. An interval then is due one period from
 * `now`; a cron expression is due for the next time that has not run.
 */
export function moveBack(
  state: ScheduleState,
  { schedule, now, byMs }: { schedule: Schedule; now: number; byMs: number },
): ScheduleState | undefined {
  const { anchor, lastSlot } = state;
  const aheadMs = (lastSlot ?? anchor) - now;
  if (aheadMs <= ADJUSTMENT_MS && (byMs === 0 || !schedule.isElapsed)) return undefined;
  if (schedule.isElapsed) {
    // It begins at its last slot: a row of skipped ones before has another beat, and is not continued.
    return { ...state, anchor: now + aheadMs - Math.max(byMs, aheadMs), lastSlot: null };
  }
  return { ...state, anchor: Math.min(anchor, now), lastSlot: lastSlot && Math.min(lastSlot, now) };
}
