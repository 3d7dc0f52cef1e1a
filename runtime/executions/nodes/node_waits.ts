// Finds executions that wait because no live node has all labels that their agents require.
import type { Agent } from "../../agents/agent.ts";
import type { Execution } from "../execution.ts";
import type { ServiceNode, SqlNodeReads } from "./node_reads.ts";

/** Returns the agent's labels if no live node has all of them, else an empty list. */
export function waitsForLabels(
  { nodes: asked }: Pick<Agent, "nodes">,
  nodes: readonly Pick<ServiceNode, "isAlive" | "labels">[],
): readonly string[] {
  const isServed = asked.length === 0 ||
    nodes.some(({ isAlive, labels }) => isAlive && asked.every((label) => labels.includes(label)));
  return isServed ? [] : asked;
}

/** Returns the labels that each execution waits for, by execution id. Executions that wait for no labels are left out. */
export async function findWaits(
  executions: readonly Pick<Execution, "id" | "agentId" | "status">[],
  { nodes, findAgent }: {
    nodes: Pick<SqlNodeReads, "listNodes" | "findUnclaimed">;
    findAgent: (id: string) => Pick<Agent, "nodes"> | undefined;
  },
): Promise<ReadonlyMap<number, readonly string[]>> {
  const asking = executions.flatMap(({ id, agentId, status }) => {
    const agent = status === "running" ? findAgent(agentId) : undefined;
    return agent !== undefined && agent.nodes.length > 0 ? [{ id, agent }] : [];
  });
  if (asking.length === 0) return new Map();
  const all = await nodes.listNodes();
  const waits = new Map(
    asking.map(({ id, agent }) => [id, waitsForLabels(agent, all)] as const)
      .filter(([, labels]) => labels.length > 0),
  );
  if (waits.size === 0) return waits;
  const unclaimed = new Set(await nodes.findUnclaimed([...waits.keys()]));
  return new Map([...waits].filter(([id]) => unclaimed.has(id)));
}
