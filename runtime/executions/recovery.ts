// What a dead instance left running, parted: what may continue here, and what has ended.
import type { AwaitedAgents } from "./awaited_agents.ts";
import type { StoredRun } from "./conductor.ts";
import type { RecoveryStore } from "./recovery_store.ts";
import { AgentUnreadable } from "./refusals.ts";

/** What executions are parted with. */
export interface RecoveryPorts {
  recovery: Pick<RecoveryStore, "findAbandoned" | "adoptExecution">;
  agents: Pick<AwaitedAgents, "find">;
  read(id: number): Promise<StoredRun>;
}

/** What becomes of them, the oldest first. */
export interface Recovery {
  /** Taken over: they run here under the definition of now, or wait until it can be read. */
  adopted: StoredRun[];
  orphaned: StoredRun[];
}

/**
 * Takes over what its agent wants resumed, or may want resumed where its file cannot be read, unless nobody waits for it any
 * longer. The rest is to be ended.
 */
export async function partAbandoned(
  { recovery, agents, read }: RecoveryPorts,
): Promise<Recovery> {
  const adopted = new Map<number, StoredRun>();
  const orphaned: StoredRun[] = [];
  const isWanted = async (parentId: number | null) =>
    // A parent is older, and so was decided before; one that waits is nobody's to decide.
    parentId === null || adopted.has(parentId) ||
    (await read(parentId)).execution.status === "waiting";
  for (const id of await recovery.findAbandoned()) {
    const subject = await read(id);
    const { agentId, parentExecutionId } = subject.execution;
    const agent = agents.find(agentId);
    const mayGoOn = agent instanceof AgentUnreadable || agent?.onRestart === "resume";
    if (mayGoOn && await isWanted(parentExecutionId)) {
      await recovery.adoptExecution(id);
      adopted.set(id, subject);
    } else {
      orphaned.push(subject);
    }
  }
  return { adopted: [...adopted.values()], orphaned };
}
