// Describes the triggers and the next runs of agents.
import type { AgentSummary } from "../../api/schemas/agent_schemas.ts";
import { awaitedBy } from "../../runtime/vocabulary/trigger_kinds.ts";
import { isAutomatic } from "../../present/triggers.ts";
import { formatRelative } from "./time.ts";

/**
 * Describes the next run of an agent: `in 5 min`, `on a change`, `on a delivery`, or `-` for an agent without a trigger.
 */
export function describeNextRun(agent: AgentSummary, now: number): string {
  if (agent.next_run !== null) return formatRelative(agent.next_run, now);
  if (!isAutomatic(agent)) return "-";
  const awaited = awaitedBy(agent.trigger_type);
  return awaited === undefined ? "-" : `on ${awaited}`;
}

/** Returns the state of an agent; `paused` means that its trigger is paused. */
export function describeState(agent: AgentSummary): "enabled" | "disabled" | "paused" {
  if (!agent.enabled) return "disabled";
  return agent.trigger_paused === null ? "enabled" : "paused";
}
