// What a dead instance left running, parted: what is gone on with here, and what has come to its end.
import type { Agent } from "../agents/agent.ts";
import type { Subject } from "./conductor.ts";
import type { RecoveryStore } from "./recovery_store.ts";

/** What executions are parted with. */
export interface RecoveryPorts {
  recovery: Pick<RecoveryStore, "findAbandoned" | "adoptExecution">;
  findAgent(id: string): Agent | undefined;
  read(id: number): Promise<Subject>;
}

/** What becomes of them, the oldest first. */
export interface Recovery {
  /** Taken over: they run here, under the definition of now. */
  resumed: { subject: Subject; agent: Agent }[];
  orphaned: Subject[];
}

/** Takes over what its agent wants to be resumed, unless nobody waits for it any more. The rest is to be ended. */
export async function partAbandoned(
  { recovery, findAgent, read }: RecoveryPorts,
): Promise<Recovery> {
  const resumed = new Map<number, Recovery["resumed"][number]>();
  const orphaned: Subject[] = [];
  const isWanted = async (parentId: number | null) =>
    // A parent is older, and so was decided before; one that waits is nobody's to decide.
    parentId === null || resumed.has(parentId) ||
    (await read(parentId)).execution.status === "waiting";
  for (const id of await recovery.findAbandoned()) {
    const subject = await read(id);
    const { agentId, parentExecutionId } = subject.execution;
    const agent = findAgent(agentId);
    if (agent?.onRestart === "resume" && await isWanted(parentExecutionId)) {
      await recovery.adoptExecution(id);
      resumed.set(id, { subject, agent });
    } else {
      orphaned.push(subject);
    }
  }
  return { resumed: [...resumed.values()], orphaned };
}
