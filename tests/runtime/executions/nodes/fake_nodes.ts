// Nodes in memory.
import type { NodeReads, ServiceNode } from "../../../../runtime/executions/nodes/node_reads.ts";
import type { UnclaimedRuns } from "../../../../runtime/executions/nodes/node_reads.ts";

export function node(changes: Partial<ServiceNode> = {}): ServiceNode {
  return {
    name: "alpha",
    version: "1.2.3",
    labels: [],
    startedAt: 0,
    silentMs: 0,
    isAlive: true,
    runs: 0,
    isThis: false,
    ...changes,
  };
}

/** What is read; each array may be changed. */
export function nodeReads(
  { nodes = [], unclaimed = [], runs = [] }: {
    nodes?: ServiceNode[];
    unclaimed?: number[];
    runs?: UnclaimedRuns[];
  },
): NodeReads {
  return {
    listNodes: () => Promise.resolve(nodes),
    findUnclaimed: (ids) => Promise.resolve(unclaimed.filter((id) => ids.includes(id))),
    countUnclaimed: (agentIds) =>
      Promise.resolve(runs.filter(({ agentId }) => agentIds.includes(agentId))),
  };
}
