// The agents with triggers, the types of fired triggers, and the function type that starts their runs.
import type { Agent, Trigger } from "../../agents/agent.ts";
import type {
  AfterCause,
  EventCause,
  ScheduleCause,
  TakenMail,
  WatchCause,
  WebhookCause,
} from "../../vocabulary/run_cause.ts";

/** An agent with a trigger of one of these kinds. */
export type TriggeredAgent<Kind extends Trigger["type"]> = Agent & {
  trigger: Trigger<Kind>;
};

/** Returns true if an agent is enabled and has a trigger of one of these kinds. */
export function isTriggeredBy<Kind extends Trigger["type"]>(
  agent: Agent,
  ...kinds: Kind[]
): agent is TriggeredAgent<Kind> {
  return agent.enabled && kinds.some((kind) => kind === agent.trigger.type);
}

/** A due time of a schedule that starts a run. */
export interface ScheduleFire extends ScheduleCause {
  /** The reason for a late run, stored with the due time; null when the run is on time. */
  reason: string | null;
}

/** A webhook delivery that starts a run. */
export interface WebhookFire extends WebhookCause {
  /** Deduplication keys. A delivery that has one of these keys within 24 hours is a repetition. */
  keys: [string, ...string[]];
}

/** An ended execution that starts another agent. */
export interface AfterFire extends AfterCause {
  /** The answer of the ended execution, or null if there is none. */
  output: string | null;
}

/** A change that a check found. */
export interface ChangeFire extends EventCause {
  type: "change";
  /** The due time of the check. */
  scheduledFor: number;
  /** True for the last run of the check. It stores the outcome of the due time. */
  isLast: boolean;
  /** True if no run starts while the previous run of the trigger has not ended. */
  isAlone: boolean;
  /** The stored check before this change, and its replacement. */
  check: { before: string; after: string };
}

/** A mail that starts a run. */
export interface MailFire extends EventCause {
  type: "mail";
  mail: TakenMail;
  /** The session of the mail's thread. */
  sessionId: string;
}

/** A fired trigger of any kind. */
export type Fire = ScheduleFire | WatchCause | WebhookFire | AfterFire | ChangeFire | MailFire;

/**
 * The result of a fired trigger, decided and stored in one transaction.
 * - `started`: the execution is stored, and the queued change or follow-up is removed.
 * - `waiting`: another execution of the conversation waits for a person, so no run starts.
 * - `budget`: the budget of the agent or of the workspace is used up.
 * - `running`: the previous run of this schedule or change trigger has not ended.
 * - `claimed`: a run for this due time, change or follow-up or mail was started before, perhaps on another machine.
 * - `withdrawn`: the agent's file no longer has this trigger; nothing is stored.
 * - `stopping`: the service stops; nothing is stored.
 */
export type FireOutcome =
  | { outcome: "started"; executionId: number }
  | { outcome: "waiting" | "running" | "claimed" | "budget" | "withdrawn" | "stopping" };

/**
 * A function that returns the reason why an agent's trigger does not fire on this service, or undefined if the trigger
 * fires.
 */
export type FindHoldReason = (agent: Agent) => Promise<string | undefined>;

/**
 * A function that starts the run of a fired trigger.
 *
 * Schedules and changes: the outcomes `stopping`, `withdrawn` and `claimed` store nothing; each other outcome stores the due time as
 * `run` or `skipped`. Watches and follow-ups: only `started` removes the queued change or follow-up. Webhooks: a repeated
 * delivery returns `started` with the execution of the first delivery.
 */
export type StartRun = (agent: Agent, fire: Fire) => Promise<FireOutcome>;

/** Tests that distinguish removed agents from unreadable agents and from agents of other hosts. */
export interface ReconcileOptions {
  /**
   * Returns true if an agent is missing from the list because its file cannot be read. Its stored state is kept; the state
   * of other missing agents is removed.
   */
  isUnreadable: (agentId: string) => boolean;
  /** Returns true if only other hosts fire the agent's trigger. Its stored state is kept. */
  isElsewhere?: (agentId: string) => boolean;
}
