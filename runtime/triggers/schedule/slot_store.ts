// The port to what is remembered of schedules: where each one's beat begins, how far it got, what became of each slot.

/** What becomes of a slot: exactly one of these. */
export const SLOT_OUTCOMES = ["run", "skipped", "missed"] as const;

/** One of SLOT_OUTCOMES. */
export type SlotOutcome = typeof SLOT_OUTCOMES[number];

/** A time at which a schedule was due, and what became of it. Times are milliseconds since the epoch. */
export interface Slot {
  agentId: string;
  /** With a count above 1: the first of them. */
  scheduledFor: number;
  outcome: SlotOutcome;
  /** Why it did not run, or why it ran late; null for an ordinary run. */
  reason: string | null;
  /** Null unless it ran; also null when that execution was removed. */
  executionId: number | null;
  /** How many slots in a row this stands for. */
  count: number;
}

/** How far a schedule has come. */
export interface ScheduleState {
  agentId: string;
  /** What the schedule was when this was stored: another one begins anew. */
  fingerprint: string;
  /** Where the beat of an interval begins. */
  anchor: number;
  /** The newest slot that has an outcome; null before the first. */
  lastSlot: number | null;
  /** Slots after it that have run, because the clock was set back since; absent if there is none. */
  fired?: number[];
}

/** Decides about slots that are stored beyond the beginning of a schedule. */
export interface StoredSlots {
  /** Those that ran stay, and do not run again. */
  keepsRuns: boolean;
  /** Counts the slots from one until that place, for a row that reaches beyond it. */
  countSince?: (first: number) => number;
}

/** Each method is one transaction. */
export interface SlotStore {
  readSchedules(): Promise<ScheduleState[]>;
  /**
   * Begins a schedule, or begins it anew in the place of `before`. Returns how it stands: where another machine has begun the
   * same one meanwhile, all go by its beat.
   */
  beginSchedule(
    state: ScheduleState,
    before?: ScheduleState,
    slots?: StoredSlots,
  ): Promise<ScheduleState>;
  /** Forgets schedules that are no more; their slots stay as history. */
  endSchedules(agentIds: readonly string[]): Promise<void>;
  /**
   * Stores slots that do not run, and how far their schedules have come with them. A slot that has an outcome keeps it; where one
   * has, another machine was ahead, and nothing of its row is stored: returns how far that came, by agent.
   */
  recordSlots(
    slots: readonly (Slot & { lastSlot: number })[],
  ): Promise<ReadonlyMap<string, number>>;
  /** Newest first. */
  listSlots(agentId: string, page: { limit: number; offset: number }): Promise<Slot[]>;
  /** Removes slots older than `before`, but for the newest `keep` of each agent. Returns how many. */
  purgeSlots(options: { before: number; keep: number }): Promise<number>;
}
