// Finds the agents that start when an execution ends.
import type { Agent } from "../../agents/agent.ts";
import type { Execution } from "../execution.ts";
import type { Outcome } from "../record/ending_store.ts";
import { endCodeOf } from "../end_reason.ts";

/**
 * Returns the ids of the enabled agents that start after this end. Chat turns, delegated executions and dry runs start no
 * agents; a fork does so only on request. An execution that a person cancelled is neither a success nor a failure.
 */
export function followersOf(
  agents: readonly Agent[],
  execution: Pick<Execution, "agentId" | "trigger" | "isDryRun" | "isUnfollowed">,
  outcome: Pick<Outcome, "status" | "error">,
): string[] {
  const { agentId, trigger, isDryRun, isUnfollowed } = execution;
  if (isDryRun || isUnfollowed || trigger === "chat" || trigger === "agent") return [];
  const end = outcome.status === "success"
    ? "success"
    : endCodeOf(outcome) === "cancelled"
    ? "cancelled"
    : "failure";
  return agents.filter(({ enabled, after }) =>
    enabled && after.some((one) => one.agentId === agentId && (one.on === "any" || one.on === end))
  ).map(({ id }) => id);
}
