// Measures the processor time of a cluster: of its nodes, and of the PostgreSQL server with its child processes.
import { processorMs } from "../soak/process_table.ts";
import { descendantsOf, listProcesses } from "../soak/process_table.ts";
import type { ClusterNode } from "./cluster_node.ts";

/** Returns the processor time used so far by the nodes and by the server, in milliseconds. */
export async function clusterTime(
  { nodes, port }: { nodes: readonly ClusterNode[]; port: number },
): Promise<{ nodesMs: number; serverMs: number }> {
  const table = await listProcesses();
  const server = table.find(({ command }) => command.includes(` -p ${port} `));
  if (server === undefined) throw new Error(`No server of PostgreSQL listens at ${port}`);
  const servers = [server, ...descendantsOf(table, server.pid)].map(({ pid }) => pid);
  const sum = async (pids: readonly number[]) =>
    (await Promise.all(pids.map(processorMs))).reduce((all, ms) => all + ms, 0);
  return {
    nodesMs: await sum(nodes.map(({ service }) => service.pid)),
    serverMs: await sum(servers),
  };
}
