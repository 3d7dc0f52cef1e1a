// The agents as every view names them: icon and display name of an id, also of one whose file is gone.
import type { AgentSummary } from "../../../schemas/agent_schemas.ts";

/** Agents by id. */
export type AgentsById = ReadonlyMap<string, AgentSummary>;

/** How an agent is shown; one that is not known (any more) by its id. */
export function labelOf(
  agents: AgentsById,
  id: string,
): { icon: string | undefined; name: string } {
  const agent = agents.get(id);
  return { icon: agent?.icon, name: agent?.display_name ?? id };
}
