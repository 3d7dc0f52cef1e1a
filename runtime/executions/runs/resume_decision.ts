// Decides if a paused execution continues with its agent's current definition or ends.
import type { Agent } from "../../agents/agent.ts";
import type { Execution } from "../execution.ts";
import type { Outcome } from "../record/ending_store.ts";

/** Decides on an execution, given its agent's current definition, or undefined if the agent no longer exists. */
export type ResumeDecision = (agent: Agent | undefined) => { agent: Agent } | Stopped;

/** The outcome of an execution that does not continue, and its running time that was not stored yet. */
interface Stopped {
  outcome: Outcome;
  ranMs?: number;
}

/** Returns the decision for an execution that waited for a person or rested: it continues if its agent exists. */
export function afterWaiting({ agentId }: Execution): ResumeDecision {
  const error = `Agent '${agentId}' no longer exists`;
  return (agent) =>
    agent === undefined ? { outcome: { status: "error", error, output: null } } : { agent };
}

/**
 * Returns the decision for an abandoned execution: it continues if its agent's `on_restart` is `resume`. `ranMs` is the
 * running time in milliseconds that was not stored yet.
 */
export function afterRestart({ ranMs = 0 } = {}): ResumeDecision {
  return (agent) => agent?.onRestart === "resume" ? { agent } : { outcome: ORPHANED, ranMs };
}

/** The outcome of an abandoned execution that does not continue. */
export const ORPHANED: Outcome = {
  status: "orphaned",
  by: "recovery",
  error: "The service stopped while this execution was running",
  output: null,
};
