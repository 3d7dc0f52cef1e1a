// When an agent runs by itself, in words.
import type { AgentSummary } from "../../api/schemas/agent_schemas.ts";
import { toOneLine } from "./sanitise.ts";
import { formatMinute, formatRelative } from "./time.ts";

/** `in 5 min`, `on a change`, `on a delivery`; `-` for an agent that does not run by itself. */
export function describeNextRun(agent: AgentSummary, now: number): string {
  if (agent.next_run !== null) return formatRelative(agent.next_run, now);
  if (!isAutomatic(agent)) return "-";
  const { trigger_type: type } = agent;
  return type === "watch" ? "on a change" : type === "webhook" ? "on a delivery" : "-";
}

/** Which of these agents do not fire here for one reason, and that reason. */
export function describeHeld(agents: readonly AgentSummary[], why: string): string {
  const ids = agents.filter((agent) => isAutomatic(agent) && agent.trigger_held === why)
    .map(({ id }) => toOneLine(id));
  const [first = "", ...others] = ids;
  const who = others.length === 0
    ? `The trigger of ${first} does`
    : `The triggers of ${first} and ${others.length} more do`;
  return `${who} not fire here: ${toOneLine(why)}`;
}

/** That the clock was set back, and what an agent's schedule does now. */
export function describeSetBack(
  { id, ran_until: until = "", next_run: next, trigger_every: every }: AgentSummary,
): string {
  const rule = every === null ? "none of them runs again" : "its interval goes on";
  return `The clock was set back: ${toOneLine(id)} has run for times until ${
    formatMinute(until)
  }, and ` +
    rule + (next === null ? "" : `, next ${formatMinute(next)}`);
}

/** Whether it would run without being asked. */
export function isAutomatic(agent: AgentSummary): boolean {
  return agent.enabled && (agent.trigger_type !== "manual" || agent.after.length > 0);
}

/** `enabled`, `disabled`; `paused` when its trigger was stopped because it ran away. */
export function describeState(agent: AgentSummary): "enabled" | "disabled" | "paused" {
  if (!agent.enabled) return "disabled";
  return agent.trigger_paused === null ? "enabled" : "paused";
}
