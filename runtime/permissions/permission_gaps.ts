// What an agent needs and this process was not started with: Deno would refuse it in the middle of a run.
import type { Agent } from "../agents/agent.ts";
import type { ResourceProblem } from "../agents/validation/validate_resources.ts";
import { FLAGS_REMEDY } from "../../base/denied_permission.ts";
import { type AgentNeed, agentNeeds, type AgentSurroundings } from "./agent_needs.ts";
import { isGranted } from "./permission_need.ts";

/** A warning for each part of the agent's file that Deno's flags stand against; none where nothing is closed. */
export async function permissionGaps(
  agent: Agent,
  surroundings: AgentSurroundings,
): Promise<ResourceProblem[]> {
  const { needs } = await agentNeeds(agent, surroundings);
  const missing = needs.filter((need) =>
    // A key that stands in a file is not looked for in the shell.
    !(need.kind === "env" && surroundings.environment.get(need.value) !== undefined) &&
    !isGranted(need)
  );
  return [...Map.groupBy(missing, ({ field }) => field)].map(([field, needs]) => ({
    field,
    severity: "warning",
    message: `Inkling was started without ${flagsOf(needs)}, which the agent needs`,
    hint: FLAGS_REMEDY,
  }));
}

function flagsOf(needs: readonly AgentNeed[]): string {
  const flags = needs.map(({ kind, value }) => `--allow-${kind}${value === "" ? "" : `=${value}`}`);
  return [...new Set(flags)].join(" ");
}
