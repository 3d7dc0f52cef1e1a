// The port to the stored state of schedules: each schedule's anchor and last slot, and the outcome of each slot.

/** The outcomes of a slot. Each slot gets exactly one. */
export const SLOT_OUTCOMES = ["run", "skipped", "missed"] as const;

/** One of SLOT_OUTCOMES. */
export type SlotOutcome = typeof SLOT_OUTCOMES[number];

/** A due time of a schedule, and its outcome. Times are milliseconds since the epoch. */
export interface Slot {
  agentId: string;
  /** The first slot, when `count` is above 1. */
  scheduledFor: number;
  outcome: SlotOutcome;
  /** The reason why it did not run, or ran late; null for an ordinary run. */
  reason: string | null;
  /** The execution of a slot that ran; null when that execution was removed. */
  executionId: number | null;
  /** The number of consecutive slots in this row. */
  count: number;
}

/** The progress of a schedule. */
export interface ScheduleState {
  agentId: string;
  /** The fingerprint of the schedule when this state was stored. A schedule with another fingerprint starts again. */
  fingerprint: string;
  /** The time from which an interval schedule counts its slots. */
  anchor: number;
  /** The newest slot with an outcome; null before the first. */
  lastSlot: number | null;
  /** Later slots that have run already, because the clock was set back since; absent when there are none. */
  fired?: number[];
}

/** The treatment of slots stored beyond the start of a schedule. */
export interface StoredSlots {
  /** True: slots that ran stay and do not run again. */
  keepsRuns: boolean;
  /** Returns the number of slots from one to that point, for a row that reaches beyond it. */
  countSince?: (first: number) => number;
}

/** Each method is one transaction. */
export interface SlotStore {
  readSchedules(): Promise<ScheduleState[]>;
  /**
   * Starts a schedule, or restarts it in place of `before`. Returns its stored state. When another machine has started
   * the same schedule meanwhile, all machines use that machine's rhythm.
   */
  beginSchedule(
    state: ScheduleState,
    before?: ScheduleState,
    slots?: StoredSlots,
  ): Promise<ScheduleState>;
  /** Removes the states of ended schedules. Their slots remain as history. */
  endSchedules(agentIds: readonly string[]): Promise<void>;
  /**
   * Stores slots that do not run, and the progress of their schedules. A slot with an outcome keeps it. Such a slot
   * means that another machine was ahead: nothing of that row is stored, and the machine's progress is returned by
   * agent.
   */
  recordSlots(
    slots: readonly (Slot & { lastSlot: number })[],
  ): Promise<ReadonlyMap<string, number>>;
  /** Returns the slots, newest first. */
  listSlots(agentId: string, page: { limit: number; offset: number }): Promise<Slot[]>;
  /** Removes slots older than `before`, but for the newest `keep` of each agent. Returns their number. */
  purgeSlots(options: { before: number; keep: number }): Promise<number>;
}
