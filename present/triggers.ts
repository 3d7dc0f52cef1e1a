// Describes the triggers of an agent in a few words.
import { describeCron } from "./cron_words.ts";
import type { AgentSummary } from "../api/schemas/agent_schemas.ts";

/** The fields of an agent that describe its triggers. */
export type DescribedTrigger =
  & Pick<
    AgentSummary,
    | "trigger_type"
    | "trigger_every"
    | "trigger_cron"
    | "trigger_paths"
    | "trigger_scheme"
    | "trigger_source"
  >
  & Partial<Pick<AgentSummary, "after">>;

/** The wording: `terse` for a table (`watch in; after reporter`), `full` for the page
 * (`watches in, after reporter`, `Mon to Fri at 07:30`). */
export type TriggerWording = "terse" | "full";

/** Returns `manual`, `every 5m`, `cron 0 3 * * *`, `watch inbox/`, `webhook github`, `change https://example.com every 1h` or `after reporter`. */
export function describeTrigger(agent: DescribedTrigger, wording: TriggerWording): string {
  const { after = [] } = agent;
  const own = describeOwn(agent, wording === "terse");
  if (after.length === 0) return own;
  const followed = `after ${after.join(", ")}`;
  if (agent.trigger_type === "manual") return followed;
  return [own, followed].join(wording === "terse" ? "; " : ", ");
}

function describeOwn(agent: DescribedTrigger, isTerse: boolean): string {
  const { trigger_type: type, trigger_every: every, trigger_scheme: scheme } = agent;
  switch (type) {
    case "manual":
      return "manual";
    case "schedule":
      if (every !== null) return `every ${every}`;
      return !isTerse && describeCron(agent.trigger_cron ?? "") || `cron ${agent.trigger_cron}`;
    case "watch":
      return `${isTerse ? "watch" : "watches"} ${agent.trigger_paths.join(", ")}`;
    case "webhook":
      return isTerse ? `webhook ${scheme ?? ""}`.trim() : `webhook (${scheme})`;
    default:
      return [type, agent.trigger_source, every === null ? null : `every ${every}`]
        .filter((part) => part !== null).join(" ");
  }
}

/** Returns whether an agent is enabled and has a trigger. */
export function isAutomatic(
  { enabled, trigger_type: type, after }: Pick<AgentSummary, "enabled" | "trigger_type" | "after">,
): boolean {
  return enabled && (type !== "manual" || after.length > 0);
}
