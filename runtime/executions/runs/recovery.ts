// Recovers executions that a dead service left running: they continue in this service or end, depending on their agents'
// `on_restart`.
import type { AwaitedAgents } from "./awaited_agents.ts";
import { STOPS } from "../../vocabulary/end_reason.ts";
import type { Runs } from "./runs.ts";
import { isPaused } from "../execution.ts";
import { requireExecution, type StoredRun } from "../record/execution_reads.ts";
import { AgentUnreadable } from "../refusals.ts";
import { ORPHANED } from "./resume_decision.ts";
import type { RunnerPorts } from "./runner_ports.ts";

/** The objects that a recovery needs. */
export type RecoveryContext = Pick<RunnerPorts, "recovery" | "executions" | "shared"> & {
  agents: Pick<AwaitedAgents, "find">;
  runs: Pick<Runs, "end" | "abortWaiting" | "resumeAfterRestart">;
};

/**
 * Continues abandoned executions if `on_restart` of their agents is `resume`, and ends the others. Also ends waiting
 * and resting executions that were cancelled or whose parent has ended. May be repeated.
 */
export async function recoverExecutions(ports: RecoveryContext): Promise<void> {
  const { recovery, runs, shared } = ports;
  // Machines that share a database adopt the executions of dead machines at any time. At a start, only running executions
  // without a job are put into the queue.
  await shared?.enqueueUnclaimed();
  const { adopted, orphaned } = shared === undefined
    ? await partAbandoned(ports)
    : { adopted: [], orphaned: [] };
  for (const { execution } of orphaned) {
    const ranMs = await recovery.readUncountedMs(execution.id);
    await runs.end(execution, { outcome: ORPHANED, ranMs });
  }
  // Children are resumed first, because a parent that continues must find its child running.
  for (const subject of adopted.toReversed()) await runs.resumeAfterRestart(subject);
  // Another machine may do this at the same time. The store ends each execution once.
  for (const { id, error } of await recovery.findCancelled()) await runs.abortWaiting(id, error);
  for (const id of await recovery.findWithEndedParent()) {
    await runs.abortWaiting(id, STOPS.parent_ended);
  }
}

/**
 * Adopts the executions whose agent's `on_restart` is `resume` or whose agent's file cannot be read. A child is adopted
 * only if its parent is adopted or waits. All other executions will end. Returns both lists, oldest first. The adopted ones
 * continue in this service with their agent's current definition.
 */
async function partAbandoned(
  { recovery, agents, executions }: RecoveryContext,
): Promise<{ adopted: StoredRun[]; orphaned: StoredRun[] }> {
  const adopted = new Map<number, StoredRun>();
  const orphaned: StoredRun[] = [];
  const isWanted = async (parentId: number | null) =>
    // A parent is older than its child, so an earlier iteration has decided about the parent. A waiting or resting parent
    // was not abandoned.
    parentId === null || adopted.has(parentId) ||
    isPaused((await requireExecution(executions, parentId)).execution);
  for (const id of await recovery.findAbandoned()) {
    const subject = await requireExecution(executions, id);
    const { parentExecutionId } = subject.execution;
    const agent = agents.find(subject.execution);
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
