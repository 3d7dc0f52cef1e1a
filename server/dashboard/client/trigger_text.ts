// A trigger in a few words.
import type { AgentSummary } from "../../schemas/agent_schemas.ts";

/** `every 5m`, `cron 0 7 * * *`, `watches in, notes`, `by hand`. */
export function describeTrigger(
  agent: Pick<
    AgentSummary,
    "trigger_type" | "trigger_every" | "trigger_cron" | "trigger_paths"
  >,
): string {
  switch (agent.trigger_type) {
    case "manual":
      return "by hand";
    case "schedule":
      return agent.trigger_every === null
        ? `cron ${agent.trigger_cron}`
        : `every ${agent.trigger_every}`;
    case "watch":
      return `watches ${agent.trigger_paths.join(", ")}`;
    default:
      return agent.trigger_type satisfies never;
  }
}
