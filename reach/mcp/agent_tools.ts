// The tools that run an agent: their names, and their descriptions for the list of tools.
import type { Tool } from "@modelcontextprotocol/server";
import type { AgentDetail, AgentSummary } from "../../api/schemas/agent_schemas.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";

/** The maximum length of a tool's name. Some clients accept no longer names. */
const MOST_CHARACTERS = 64;

/**
 * Returns the agents by the names of their tools: the ids, changed so that they are valid, different, and none of the
 * `reserved` names.
 */
export function nameAgentTools<Agent extends Pick<AgentSummary, "id">>(
  agents: readonly Agent[],
  reserved: ReadonlySet<string>,
): Map<string, Agent> {
  const named = new Map<string, Agent>();
  const isTaken = (name: string) => named.has(name) || reserved.has(name);
  for (const agent of agents) {
    const plain = agent.id.normalize("NFKD").replaceAll(/[^\w-]+/g, "_").replaceAll(/^_+|_+$/g, "");
    const base = plain.slice(0, MOST_CHARACTERS - 4) || "agent";
    let name = base;
    for (let count = 2; isTaken(name); count++) name = `${base}_${count}`;
    named.set(name, agent);
  }
  return named;
}

/** Returns the entry of an agent's tool in the list of tools. */
export function describeAgentTool(name: string, agent: AgentDetail): Tool {
  const schema = objectSchemaOf(agent);
  return {
    name,
    title: agent.display_name,
    description: agent.description || `Runs the agent ${agent.id}`,
    inputSchema: {
      type: "object",
      properties: { message: { type: "string", description: "The message to the agent" } },
      required: ["message"],
    },
    ...(schema !== undefined && { outputSchema: { ...schema, type: "object" } }),
  };
}

/** Returns the schema of an agent's answers if the agent file has one and every answer is an object. */
export function objectSchemaOf({ output_schema: schema }: AgentDetail): JsonObject | undefined {
  return isJsonObject(schema) && schema["type"] === "object" ? schema : undefined;
}
