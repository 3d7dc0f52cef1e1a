// Describes the triggers and the next runs of agents.
import type { AgentSummary } from "../../api/schemas/agent_schemas.ts";
import { isAutomatic } from "../../present/triggers.ts";
import { toOneLine } from "./sanitize.ts";
import { formatMinute, formatRelative } from "./time.ts";

/**
 * Describes the next run of an agent: `in 5 min`, `on a change`, `on a delivery`, or `-` for an agent without a trigger.
 */
export function describeNextRun(agent: AgentSummary, now: number): string {
  if (agent.next_run !== null) return formatRelative(agent.next_run, now);
  if (!isAutomatic(agent)) return "-";
  const { trigger_type: type } = agent;
  return type === "watch" ? "on a change" : type === "webhook" ? "on a delivery" : "-";
}

/** Returns a sentence that names the agents whose triggers do not fire on this service for the reason `why`. */
export function describeHeld(agents: readonly AgentSummary[], why: string): string {
  const ids = agents.filter((agent) => isAutomatic(agent) && agent.trigger_held === why)
    .map(({ id }) => toOneLine(id));
  const [first = "", ...others] = ids;
  const who = others.length === 0
    ? `The trigger of ${first} does`
    : `The triggers of ${first} and ${others.length} more do`;
  return `${who} not fire here: ${toOneLine(why)}`;
}

/** Returns a sentence about an agent's schedule after the machine's clock was set back. */
export function describeSetBack(
  { id, ran_until: until = "", next_run: next, trigger_every: every }: AgentSummary,
): string {
  const rule = every === null ? "these due times do not run again" : "its interval continues";
  return `The clock was set back: ${toOneLine(id)} has already run for the due times until ${
    formatMinute(until)
  }, and ` +
    rule + (next === null ? "" : `. Next run: ${formatMinute(next)}`);
}

/** Returns the state of an agent; `paused` means that its trigger is paused. */
export function describeState(agent: AgentSummary): "enabled" | "disabled" | "paused" {
  if (!agent.enabled) return "disabled";
  return agent.trigger_paused === null ? "enabled" : "paused";
}
