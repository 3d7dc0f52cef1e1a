// Decides if a run counts as a failure or a success of the trigger that started it.
import { type Agent, agentDigest } from "../../agents/agent.ts";
import { TRIGGER_KINDS } from "../../vocabulary/trigger_kinds.ts";
import type { Execution } from "../execution.ts";
import type { Outcome, TriggerVerdict } from "../record/ending_store.ts";
import { endCodeOf, isLimitCode } from "../end_reason.ts";

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
