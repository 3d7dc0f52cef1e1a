// Finds the permissions that an agent needs and this process lacks, so that they are reported before a run fails.
import type { Agent } from "../agents/agent.ts";
import type { ResourceProblem } from "../agents/resource_problem.ts";
import { FLAGS_REMEDY } from "../../base/denied_permission.ts";
import { type AgentNeed, agentNeeds, type AgentSurroundings } from "./agent_needs.ts";
import { isGranted } from "./permission_need.ts";

/** Returns a warning for each part of the agent file that Deno's flags prevent. Empty if all permissions are granted. */
export async function permissionGaps(
  agent: Agent,
  surroundings: AgentSurroundings,
): Promise<ResourceProblem[]> {
  const { needs } = await agentNeeds(agent, surroundings);
  const missing = needs.filter((need) =>
    // A variable in an environment file is not read from the shell.
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
