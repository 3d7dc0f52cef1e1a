// Whether an execution that stood still continues, under its agent's definition of now, or ends because of what has become of
// its agent.
import type { Agent } from "../../agents/agent.ts";
import type { Execution } from "../execution.ts";
import type { Outcome } from "../record/ending_store.ts";

/** What comes next, once it can be told what has become of the agent; undefined: it is gone. */
export type ResumeDecision = (agent: Agent | undefined) => { agent: Agent } | Stopped;

/** How it ends instead, and how long it ran before without that being counted. */
interface Stopped {
  outcome: Outcome;
  ranMs?: number;
}

/** Of an execution that waited for a person. */
export function afterWaiting({ agentId }: Execution): ResumeDecision {
  const error = `Agent '${agentId}' no longer exists`;
  return (agent) =>
    agent === undefined ? { outcome: { status: "error", error, output: null } } : { agent };
}

/** Of one that a dead instance left running, which is known to have run there for `ranMs` that are not counted yet. */
export function afterRestart({ ranMs = 0 } = {}): ResumeDecision {
  return (agent) => agent?.onRestart === "resume" ? { agent } : { outcome: ORPHANED, ranMs };
}

/** The end of an execution that a dead instance left and nobody continues. */
export const ORPHANED: Outcome = {
  status: "orphaned",
  by: "recovery",
  error: "The service stopped while this execution was running",
  output: null,
};
