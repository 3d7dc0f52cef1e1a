// A trigger in a few words.
import type { AgentSummary } from "../../schemas/agent_schemas.ts";

/** `every 5m`, `cron 0 7 * * *`, `watches in, notes`, `webhook (github)`, `after reporter`, `manual`. */
export function describeTrigger(
  agent:
    & Pick<
      AgentSummary,
      "trigger_type" | "trigger_every" | "trigger_cron" | "trigger_paths" | "trigger_scheme"
    >
    & Partial<Pick<AgentSummary, "after">>,
): string {
  const { after = [] } = agent;
  if (after.length === 0) return describeOwnTrigger(agent);
  const followed = `after ${after.join(", ")}`;
  return agent.trigger_type === "manual" ? followed : `${describeOwnTrigger(agent)}, ${followed}`;
}

function describeOwnTrigger(
  agent: Pick<
    AgentSummary,
    "trigger_type" | "trigger_every" | "trigger_cron" | "trigger_paths" | "trigger_scheme"
  >,
): string {
  switch (agent.trigger_type) {
    case "manual":
      return "manual";
    case "schedule":
      return agent.trigger_every === null
        ? `cron ${agent.trigger_cron}`
        : `every ${agent.trigger_every}`;
    case "watch":
      return `watches ${agent.trigger_paths.join(", ")}`;
    case "webhook":
      return `webhook (${agent.trigger_scheme})`;
    default:
      return agent.trigger_type satisfies never;
  }
}
