// Calculates the state of a schedule after the wall clock was set back.
import type { Schedule } from "./schedule.ts";
import type { ScheduleState } from "./slot_store.ts";

/** The maximum difference that counts as an adjustment of the clock (such as by NTP) instead of a new time. */
export const ADJUSTMENT_MS = 1_000;

/**
 * Returns the state of a schedule after the clock was set back, or undefined if the state can stay unchanged. `byMs` is the
 * difference, or 0 if it is unknown (after a restart). An interval is next due one period after `now`, a cron expression at
 * its next time that has not run.
 */
export function moveBack(
  state: ScheduleState,
  { schedule, now, byMs }: { schedule: Schedule; now: number; byMs: number },
): ScheduleState | undefined {
  const { anchor, lastSlot } = state;
  const aheadMs = (lastSlot ?? anchor) - now;
  if (aheadMs <= ADJUSTMENT_MS && (byMs === 0 || !schedule.isElapsed)) return undefined;
  if (schedule.isElapsed) {
    // The last slot becomes the start of the schedule. A null `lastSlot` starts a new row of skipped slots, because later
    // slots do not continue the intervals of the stored row.
    return { ...state, anchor: now + aheadMs - Math.max(byMs, aheadMs), lastSlot: null };
  }
  return { ...state, anchor: Math.min(anchor, now), lastSlot: lastSlot && Math.min(lastSlot, now) };
}
