// What a dead instance left running: what its agent wants resumed continues here, the rest ends.
import type { AwaitedAgents } from "./awaited_agents.ts";
import { STOPS } from "../end_reason.ts";
import type { Runs } from "./runs.ts";
import {
  type ExecutionReads,
  requireExecution,
  type StoredRun,
} from "../record/execution_reads.ts";
import type { RecoveryStore } from "../record/recovery_store.ts";
import { AgentUnreadable } from "../refusals.ts";
import { ORPHANED } from "./resume_decision.ts";
import type { SharedRuns } from "./shared_runs.ts";

/** What a recovery works with. */
export interface RecoveryPorts {
  recovery: RecoveryStore;
  agents: Pick<AwaitedAgents, "find">;
  runs: Pick<Runs, "end" | "abortWaiting" | "resumeAfterRestart">;
  executions: Pick<ExecutionReads, "readExecution">;
  shared?: SharedRuns;
}

/**
 * Takes over what a dead instance left running: continues it where the agent says so, else ends it. Ends what waits though it
 * should have been ended. May be done again and again.
 */
export async function recoverExecutions(ports: RecoveryPorts): Promise<void> {
  const { recovery, runs, shared } = ports;
  // Machines that share them take over from each other all the time.
  await shared?.enqueueLeft();
  const { adopted, orphaned } = shared === undefined
    ? await partAbandoned(ports)
    : { adopted: [], orphaned: [] };
  for (const { execution } of orphaned) {
    const ranMs = await recovery.readUncountedMs(execution.id);
    await runs.end(execution, { outcome: ORPHANED, ranMs });
  }
  // What was delegated first: an execution that continues asks for it at once, and must find that it runs here.
  for (const subject of adopted.toReversed()) await runs.resumeAfterRestart(subject);
  // Another machine may do the same: each is ended once.
  for (const { id, error } of await recovery.findCancelled()) await runs.abortWaiting(id, error);
  for (const id of await recovery.findForsaken()) await runs.abortWaiting(id, STOPS.parent_ended);
}

/** What becomes of abandoned executions, the oldest first. */
interface Parted {
  /** Taken over: they run here under the definition of now, or wait until it can be read. */
  adopted: StoredRun[];
  orphaned: StoredRun[];
}

/**
 * Takes over what its agent wants resumed, or may want resumed where its file cannot be read, unless nobody waits for it any
 * longer. The rest is to be ended.
 */
async function partAbandoned(
  { recovery, agents, executions }: RecoveryPorts,
): Promise<Parted> {
  const adopted = new Map<number, StoredRun>();
  const orphaned: StoredRun[] = [];
  const isWanted = async (parentId: number | null) =>
    // A parent is older, and so was decided before; one that waits is nobody's to decide.
    parentId === null || adopted.has(parentId) ||
    (await requireExecution(executions, parentId)).execution.status === "waiting";
  for (const id of await recovery.findAbandoned()) {
    const subject = await requireExecution(executions, id);
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
