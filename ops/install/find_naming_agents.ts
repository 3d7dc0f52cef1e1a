// Finds the agents whose files name a skill or an MCP server.
import { AgentRegistry } from "../../runtime/agents/registry.ts";
import type { WorkspaceSettings } from "../../runtime/config/settings.ts";

/** Returns the agents' ids by the skill or server that they name. Agents with broken files are left out. */
export async function findNamingAgents(
  field: "skills" | "mcp",
  settings: WorkspaceSettings,
): Promise<Map<string, string[]>> {
  const registry = new AgentRegistry(settings);
  await registry.load();
  const naming = new Map<string, string[]>();
  for (const agent of registry.list()) {
    for (const name of agent[field]) naming.getOrInsert(name, []).push(agent.id);
  }
  return naming;
}
