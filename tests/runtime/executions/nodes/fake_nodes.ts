// A fake NodeReads with nodes in memory.
import type { ServiceNode } from "../../../../runtime/executions/nodes/node_reads.ts";

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
