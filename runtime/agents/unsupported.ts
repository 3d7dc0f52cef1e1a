// Fields that this version reads and checks but does not act on. A person who relies on one is told so.
import type { Agent } from "./agent.ts";

/** Names of the fields of this agent that have no effect in this version. */
export function unsupportedFields(agent: Agent): string[] {
  return [
    ...(agent.trigger.type === "manual" ? [] : ["trigger"]),
    ...(agent.customTools.length === 0 ? [] : ["custom_tools"]),
    ...(agent.mcp.length === 0 ? [] : ["mcp"]),
    ...(agent.skills.length === 0 ? [] : ["skills"]),
    ...(agent.agents.length === 0 ? [] : ["agents"]),
  ];
}
