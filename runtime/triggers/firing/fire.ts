// A fired trigger, and the port that turns it into a run.
import type { Agent } from "../../agents/agent.ts";
import type {
  AfterCause,
  ScheduleCause,
  WatchCause,
  WebhookCause,
} from "../../vocabulary/run_cause.ts";

/** A schedule slot to run. */
export interface ScheduleFire extends ScheduleCause {
  /** The reason for a late run, stored with the slot; null when it is on time. */
  reason: string | null;
}

/** A webhook delivery to run. */
export interface WebhookFire extends WebhookCause {
  /** Deduplication keys: a delivery with one of these within 24 hours is the same delivery. */
  keys: [string, ...string[]];
}

/** An ended execution that another agent follows. */
export interface AfterFire extends AfterCause {
  /** The output of the ended execution. */
  output: string | null;
}

/** A fired trigger of any kind. */
export type Fire = ScheduleFire | WatchCause | WebhookFire | AfterFire;

/**
 * The result of a fired trigger, decided and stored in one transaction.
 * - `started`: the execution is stored, and its slot or queued change is removed.
 * - `waiting`: an execution of the same conversation waits for a person, and the agent skips meanwhile.
 * - `budget`: the budget of the agent or of the workspace is used up.
 * - `running`: the last run of the schedule still runs.
 * - `claimed`: another start took this slot or change before.
 * - `withdrawn`: the agent's file no longer has this trigger; nothing is stored.
 * - `stopping`: the service stops; nothing is stored.
 */
export type FireOutcome =
  | { outcome: "started"; executionId: number }
  | { outcome: "waiting" | "running" | "claimed" | "budget" | "withdrawn" | "stopping" };

/** Returns the reason why an agent's trigger does not fire on this service, or undefined when it fires. */
export type FindHoldReason = (agent: Agent) => Promise<string | undefined>;

/**
 * Starts the run of a fired trigger.
 *
 * Schedules: each outcome except `stopping`, `withdrawn` and `claimed` stores a row for the slot, `run` or `skipped`
 * with its reason. Watches and follow-ups: `started` removes the queued change or end, no other outcome does. Webhooks:
 * an equal delivery gets `started` with the execution of the first one.
 */
export type StartRun = (agent: Agent, fire: Fire) => Promise<FireOutcome>;
