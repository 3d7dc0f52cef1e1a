// How a schedule continues from what is known of it: where it was, or anew.
import type { ScheduleState } from "./slot_store.ts";

/** What ran further ahead than this ran under a wrong clock. */
const WRONG_CLOCK_MS = 86_400_000;
/** A clock is put right by less than this all the time. */
const ADJUSTMENT_MS = 60_000;

/**
 * Whether a schedule is ahead of a time by more than a clock is ever set back on purpose. Waiting for that time to come
 * would mean not to run for as long. One that never ran has nothing that could come twice.
 */
export function isAhead({ anchor, lastSlot }: ScheduleState, now: number): boolean {
  return lastSlot === null ? anchor > now + ADJUSTMENT_MS : lastSlot > now + WRONG_CLOCK_MS;
}

/** The state to go on with: the same object where nothing changed, else a beginning at `now`, to be stored. */
export function continueSchedule(
  before: ScheduleState | undefined,
  { agentId, fingerprint, now }: { agentId: string; fingerprint: string; now: number },
): ScheduleState {
  const anew = { agentId, fingerprint, anchor: now, lastSlot: null };
  if (before === undefined || isAhead(before, now)) return anew;
  if (before.fingerprint === fingerprint) return before;
  // Another schedule; but what was due before the clock was set back does not come again.
  const { lastSlot } = before;
  return { ...anew, lastSlot: lastSlot !== null && lastSlot > now ? lastSlot : null };
}
