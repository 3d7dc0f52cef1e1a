// Finds the consequences of an execution's end: the agents that it starts, and the verdict for the run's trigger.
import { type Agent, agentDigest } from "../../agents/agent.ts";
import { TRIGGER_KINDS } from "../../vocabulary/trigger_kinds.ts";
import { endCodeOf, isLimitCode } from "../../vocabulary/end_reason.ts";
import type { Execution } from "../execution.ts";
import type { Outcome, TriggerVerdict } from "../record/ending_store.ts";

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

/**
 * Returns the verdict on a run for its trigger, failure or success, with the data to count it. Undefined if the run is
 * neither: a person or the service stopped it, its model could not be reached, no trigger started it, or its agent has
 * `max_failures: none`.
 */
export function verdictOf(
  agent: Agent | undefined,
  { trigger, isDryRun }: Pick<Execution, "trigger" | "isDryRun">,
  { status, error, transient }: Pick<Outcome, "status" | "error" | "transient">,
): TriggerVerdict | undefined {
  const maxFailures = agent?.maxFailures ?? null;
  if (agent === undefined || maxFailures === null) return undefined;
  if (isDryRun || !TRIGGER_KINDS[trigger].isAutomatic) return undefined;
  const failed = status === "error" && transient === undefined || status === "timeout" ||
    isLimitCode(endCodeOf({ status, error }));
  if (!failed && status !== "success") return undefined;
  return { failed, maxFailures, print: failed ? agentDigest(agent) : "" };
}
