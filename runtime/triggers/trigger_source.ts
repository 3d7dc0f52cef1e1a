// The interface of the sources of fired triggers. Each kind of trigger with a state has one source for all agents.
import type { Agent } from "../agents/agent.ts";
import type { ReconcileOptions } from "./firing/fire.ts";
import type { PassedMail } from "./mail/mail_reading.ts";
import type { PassedOver } from "./watch/same_content.ts";

/** The state of one agent's trigger. Times are milliseconds since the epoch. */
export interface TriggerNotes {
  /** The next due time of a schedule, or null if there is none. */
  nextRun: number | null;
  /** The reason why this trigger is stopped; null if it is not. Does not reflect the pause of all triggers. */
  triggerPaused: string | null;
  /** The last due time processed before the clock was set back; absent if the clock has reached it again. */
  ranUntil?: number;
  /** The reason why this service does not fire the trigger: another host or service fires it. */
  inactiveReason?: string;
  /** The last file change that started no run because the content is the same. */
  passedOver?: PassedOver;
  /** The last mail that matched the filters and started no run. */
  passedMail?: PassedMail;
}

/** Starts the runs of all agents with one kind of trigger. */
export interface TriggerSource extends AsyncDisposable {
  /** Updates the triggers from the present agents. Unchanged triggers continue. */
  reconcile(agents: readonly Agent[], options: ReconcileOptions): Promise<void>;
  /** True if a reload of the agents waits only a short time for `reconcile()`, and a dispose of the triggers not at all. */
  readonly isSlow?: boolean;
  /** Enables the start of runs. Events that are already pending are processed at once. */
  start?(): void;
  /** Drops the events of the pause that were not processed yet. Called before the pause of all triggers ends. */
  dropPending?(): Promise<void>;
  /** Processes the pending events at once, because an obstacle may be gone. */
  wake?(): void;
  /** Reads the state from the database, because messages from other machines may be lost. If absent, `wake()` does it. */
  resync?(): void;
  /** Checks which of the shared agents or accounts belong to this machine now. If absent, `wake()` does it. */
  reloadShares?(): void;
  /** Returns the notes about an agent's trigger that only this kind has. */
  notes?(agentId: string): Partial<TriggerNotes>;
  /** True if at least one path is being watched. */
  readonly active?: boolean;
}

/** A source that is opened when it is needed, so that a kind of trigger that no agent has costs nothing. */
export interface LazySource {
  /** Returns true if an agent needs the source, or if the database has a state of former agents. */
  isWanted(agents: readonly Agent[]): Promise<boolean>;
  /** Opens the source at the first call. Later calls return the same source. */
  open(): Promise<TriggerSource>;
}
