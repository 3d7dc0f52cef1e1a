// Who starts because an execution has ended.
import type { Agent } from "../../agents/agent.ts";
import type { Execution } from "../execution.ts";
import type { Outcome } from "../record/ending_store.ts";
import { endCodeOf } from "../end_reason.ts";

/**
 * The enabled agents that follow this end. The turns of a chat, and what another agent delegated, are no ends of an agent's
 * work, a dry run did none, and a fork starts them only when that was asked for. What a person cancelled is neither a success
 * nor a failure.
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
