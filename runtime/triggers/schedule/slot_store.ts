// The types of the stored state of schedules. A slot is one due time of a schedule.

/** The possible outcomes of a slot. Each slot gets exactly one. */
export const SLOT_OUTCOMES = ["run", "skipped", "missed"] as const;

/** One or several consecutive due times of a schedule with the same outcome. Times are milliseconds since the epoch. */
export interface Slot {
  agentId: string;
  /** The due time; with a `count` above 1, the first of the due times. */
  scheduledFor: number;
  outcome: typeof SLOT_OUTCOMES[number];
  /** The reason why no run started or why the run was late; null for a run on time. */
  reason: string | null;
  /** The execution that the slot started; null if none was started or if it was removed. */
  executionId: number | null;
  /** The number of due times that this record stands for. */
  count: number;
}

/** The progress of a schedule. Times are milliseconds since the epoch. */
export interface ScheduleState {
  agentId: string;
  /** The fingerprint of the schedule. A schedule with another fingerprint restarts. */
  fingerprint: string;
  /** The start time of the schedule. Intervals are counted from it. */
  anchor: number;
  /** The newest slot with an outcome; null before the first slot. */
  lastSlot: number | null;
  /** Slots after `lastSlot` that already ran before the clock was set back; absent if there are none. */
  fired?: number[];
}

/** The handling of stored slots that are later than the new start of a schedule. */
export interface StoredSlots {
  /** True if slots that ran are kept, so that they do not run again. */
  keepsRuns: boolean;
  /**
   * Returns the number of slots from `first` up to the new start. It shortens a stored row that reaches beyond the start.
   */
  countSince?: (first: number) => number;
}

/** The data that is stored with a slot that does not run. */
export interface SlotExtras {
  lastSlot: number;
  /** The result of the check to store for the next check. */
  check?: string;
  /** Set if people get a message about failed checks: their number, and the time of the first. */
  reported?: { count: number; since: number };
}
