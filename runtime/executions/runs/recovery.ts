// Recovery of executions that a dead service left running: they continue here or end, as their agents' files say.
import type { AwaitedAgents } from "./awaited_agents.ts";
import { STOPS } from "../end_reason.ts";
import type { Runs } from "./runs.ts";
import { requireExecution, type StoredRun } from "../record/execution_reads.ts";
import { AgentUnreadable } from "../refusals.ts";
import { ORPHANED } from "./resume_decision.ts";
import type { RunnerPorts } from "./runner_ports.ts";

/** The collaborators of a recovery. */
export type RecoveryContext = Pick<RunnerPorts, "recovery" | "executions" | "shared"> & {
  agents: Pick<AwaitedAgents, "find">;
  runs: Pick<Runs, "end" | "abortWaiting" | "resumeAfterRestart">;
};

/**
 * Continues abandoned executions if their agents' `on_restart` is `resume`, else ends them. Also ends waiting executions that
 * were cancelled or whose parent has ended. May be repeated.
 */
export async function recoverExecutions(ports: RecoveryContext): Promise<void> {
  const { recovery, runs, shared } = ports;
  // Machines that share a database adopt the executions of dead machines all the time, not only at a start. Only unclaimed
  // ones are enqueued here.
  await shared?.enqueueUnclaimed();
  const { adopted, orphaned } = shared === undefined
    ? await partAbandoned(ports)
    : { adopted: [], orphaned: [] };
  for (const { execution } of orphaned) {
    const ranMs = await recovery.readUncountedMs(execution.id);
    await runs.end(execution, { outcome: ORPHANED, ranMs });
  }
  // Children first, because a parent that continues must find them running here.
  for (const subject of adopted.toReversed()) await runs.resumeAfterRestart(subject);
  // Another machine may do the same. The store ends each execution once.
  for (const { id, error } of await recovery.findCancelled()) await runs.abortWaiting(id, error);
  for (const id of await recovery.findWithEndedParent()) {
    await runs.abortWaiting(id, STOPS.parent_ended);
  }
}

/** The abandoned executions by their fate, oldest first. */
interface Parted {
  /** Adopted executions. They run here with the current definition of their agent, or wait until it can be read. */
  adopted: StoredRun[];
  orphaned: StoredRun[];
}

/**
 * Adopts the executions whose agents' `on_restart` is `resume`, and those whose agents' files cannot be read. A child is adopted
 * only if its parent is adopted or waits. The other executions will be ended.
 */
async function partAbandoned(
  { recovery, agents, executions }: RecoveryContext,
): Promise<Parted> {
  const adopted = new Map<number, StoredRun>();
  const orphaned: StoredRun[] = [];
  const isWanted = async (parentId: number | null) =>
    // A parent is older, so its fate is already known. A waiting parent was not abandoned.
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
