// The agents with triggers, the type of a fired trigger, and the function type that starts its run.
import type { Agent, Trigger } from "../../agents/agent.ts";
import type { AgentCause, Claim, RunCause } from "../../vocabulary/run_cause.ts";

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

/** A fired trigger of any kind. */
export interface Fire {
  cause: Exclude<RunCause, AgentCause>;
  /** The trigger event that the run consumes. */
  claim?: Claim;
  /** The session of the run. Absent if the run belongs to none. */
  sessionId?: string;
  /** Deduplication keys. A fired trigger that has one of these keys within 24 hours is a repetition. */
  keys?: readonly [string, ...string[]];
  /** The context of the run. */
  context?: string;
}

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
