// The agents that start when an execution ends.
import type { Agent } from "../../agents/agent.ts";
import type { Execution } from "../execution.ts";
import type { Outcome } from "../record/ending_store.ts";
import { endCodeOf } from "../end_reason.ts";

/**
 * Returns the ids of the enabled agents that start after this end. Chat turns, delegated executions and dry runs start none. A
 * fork starts them only on request. An execution cancelled by a person counts neither as a success nor as a failure.
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
