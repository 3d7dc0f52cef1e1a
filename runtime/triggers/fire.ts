// A trigger that fires, and the port to whoever turns that into a run.
import type { Agent } from "../agents/agent.ts";
import type { AfterCause, ScheduleCause, WatchCause, WebhookCause } from "../run_cause.ts";

/** A slot that runs. */
export interface ScheduleFire extends ScheduleCause {
  /** Why it runs late, for the slot's row; null: it is on time. */
  reason: string | null;
}

/** A delivery that runs. */
export interface WebhookFire extends WebhookCause {
  /** Whatever comes under one of these within 24 hours is the same delivery. */
  keys: [string, ...string[]];
}

/** An end that is followed. */
export interface AfterFire extends AfterCause {
  /** What the execution answered. */
  output: string | null;
}

/** What fires. */
export type Fire = ScheduleFire | WatchCause | WebhookFire | AfterFire;

/**
 * What became of it, decided and stored in one transaction: `started` is on disk as an execution, with the slot or the
 * queued change that it took. `waiting`: an execution of the same conversation waits for a person and the agent skips
 * meanwhile. `budget`: one of the agent or of the workspace is used up. `running`: the schedule's last run still runs. `claimed`: this slot, or this change, was taken before.
 * `withdrawn`: the agent's file has changed and no longer has this trigger; nothing was stored. `stopping`: the service goes
 * down, nothing was stored.
 */
export type FireOutcome =
  | { outcome: "started"; executionId: number }
  | { outcome: "waiting" | "running" | "claimed" | "budget" | "withdrawn" | "stopping" };

/** Returns why an agent's trigger does not fire on this service; undefined where it does. */
export type WhyHeld = (agent: Agent) => Promise<string | undefined>;

/**
 * Starts the run of a fire. For a schedule, each outcome but `stopping`, `withdrawn` and `claimed` leaves a row for the slot: `run`, or
 * `skipped` with its reason. For a watch, `started` takes the change out of the queue; nothing else touches it.
 * The end that an agent follows is taken in the same way. For a webhook, `started` is also what an equal delivery got before.
 */
export type StartRun = (agent: Agent, fire: Fire) => Promise<FireOutcome>;
