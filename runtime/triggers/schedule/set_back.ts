// The state of a schedule after the wall clock was set back.
import type { Schedule } from "./schedule.ts";
import type { ScheduleState } from "./slot_store.ts";

/** A difference up to this is an adjustment of the clock, not a new time. */
export const ADJUSTMENT_MS = 1_000;

/**
 * Returns the state of a schedule moved back with the clock, or undefined when it can continue unchanged. `byMs`: the
 * distance, or 0 when it is unknown, as after a restart. An interval is then due one period from `now`; a cron
 * expression at its next time that has not run.
 */
export function moveBack(
  state: ScheduleState,
  { schedule, now, byMs }: { schedule: Schedule; now: number; byMs: number },
): ScheduleState | undefined {
  const { anchor, lastSlot } = state;
  const aheadMs = (lastSlot ?? anchor) - now;
  if (aheadMs <= ADJUSTMENT_MS && (byMs === 0 || !schedule.isElapsed)) return undefined;
  if (schedule.isElapsed) {
    // It restarts at its last slot. A row of skipped slots before has another rhythm and is not continued.
    return { ...state, anchor: now + aheadMs - Math.max(byMs, aheadMs), lastSlot: null };
  }
  return { ...state, anchor: Math.min(anchor, now), lastSlot: lastSlot && Math.min(lastSlot, now) };
}
