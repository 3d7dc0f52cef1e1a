// The decision to continue a paused execution with its agent's current definition, or to end it.
import type { Agent } from "../../agents/agent.ts";
import type { Execution } from "../execution.ts";
import type { Outcome } from "../record/ending_store.ts";

/** Decides for an agent's current definition. Undefined: the agent no longer exists. */
export type ResumeDecision = (agent: Agent | undefined) => { agent: Agent } | Stopped;

/** The outcome of an execution that does not continue, and its uncounted running time. */
interface Stopped {
  outcome: Outcome;
  ranMs?: number;
}

/** Decides for an execution that waited for a person: it continues if its agent exists. */
export function afterWaiting({ agentId }: Execution): ResumeDecision {
  const error = `Agent '${agentId}' no longer exists`;
  return (agent) =>
    agent === undefined ? { outcome: { status: "error", error, output: null } } : { agent };
}

/** Decides for an abandoned execution: it continues if `on_restart` is `resume`. `ranMs` is its uncounted running time. */
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
