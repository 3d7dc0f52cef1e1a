// Who may run an execution, where several machines could: what is asked and stored of it. Only PostgreSQL has these columns.
import type { Taken } from "../../executions/runs/shared_runs.ts";
import { isAlive } from "../instances.ts";
import { all, announce, enqueue, get, type Operation, run } from "../operation.ts";
import { selectStored } from "../executions/execution_reads.ts";
import { selectUncountedMs } from "../executions/recovery.ts";

/** What claims an execution: a machine, with the job that was delivered to it. */
export interface ClaimRequest {
  id: number;
  jobId: string;
  instanceId: string;
}

/** What a machine has of an execution that it took; `epoch` names this taking of it in every later write. */
export type Claim = Taken & { epoch: number };

/**
 * Makes the execution this machine's. Undefined: it has ended, waits, or has another job since; this one is to be completed
 * without effect.
 */
export function* claimExecution(
  { id, jobId, instanceId }: ClaimRequest,
): Operation<Claim | undefined> {
  const found = yield* get<{ previous: string | null; cancelled: string | null }>(
    "SELECT instance_id AS previous, cancelled FROM executions WHERE id = ? AND job = ? AND status = 'running' FOR UPDATE",
    ...[id, jobId],
  );
  if (found === undefined) return undefined;
  const { previous, cancelled } = found;
  const isRedelivered = previous !== null;
  const ranMs = isRedelivered ? yield* selectUncountedMs(id) : 0;
  const row = yield* get<{ epoch: number }>(
    "UPDATE executions SET instance_id = ?, epoch = epoch + 1 WHERE id = ? RETURNING epoch",
    ...[instanceId, id],
  );
  const subject = yield* selectStored(id);
  if (row === undefined || subject === undefined) {
    throw new TypeError("An execution went while its row was held");
  }
  return { subject, epoch: row.epoch, cancelled, isRedelivered, ranMs };
}

/** The same for one that nobody has, or a dead machine: whatever job it has lets nobody take it any more. */
export function* claimUnowned(
  id: number,
  instanceId: string,
): Operation<{ epoch: number } | undefined> {
  return yield* get<{ epoch: number }>(
    "UPDATE executions SET instance_id = ?, epoch = epoch + 1, job = NULL WHERE id = ? AND status = 'running' " +
      `AND (instance_id IS NULL OR NOT ${isAlive("executions.instance_id")}) RETURNING epoch`,
    ...[instanceId, id],
  );
}

/** Whether this job is still the one that lets a machine run the execution. */
export function* isToRun(id: number, jobId: string): Operation<boolean> {
  return (yield* get(
    "SELECT 1 FROM executions WHERE id = ? AND job = ? AND status = 'running'",
    ...[id, jobId],
  )) !== undefined;
}

/** Whoever runs it ends it with this error; false where it does not run. The first error asked for stays. */
export function* requestCancel(id: number, error: string): Operation<boolean> {
  const changed = yield* run(
    "UPDATE executions SET cancelled = coalesce(cancelled, ?) WHERE id = ? AND status = 'running'",
    ...[error, id],
  );
  if (changed > 0) yield* announce(id);
  return changed > 0;
}

/** Of these executions, those that are to end, and with which error. */
export function* selectCancelled(
  ids: readonly number[],
): Operation<{ id: number; error: string }[]> {
  return yield* all<{ id: number; error: string }>(
    "SELECT id, cancelled AS error FROM executions WHERE cancelled IS NOT NULL AND status = 'running' " +
      "AND id IN (SELECT CAST(value AS BIGINT) FROM json_each(?))",
    JSON.stringify(ids),
  );
}

/** Gives a job to each execution that is to run and has none: of a history that was moved here, or of who died as it ended one. */
export function* enqueueLeft(): Operation<void> {
  const rows = yield* all<{ id: number; agent_id: string; parent_execution_id: number | null }>(
    "SELECT id, agent_id, parent_execution_id FROM executions WHERE status = 'running' AND job IS NULL " +
      `AND (instance_id IS NULL OR NOT ${
        isAlive("executions.instance_id")
      }) ORDER BY id FOR UPDATE`,
  );
  for (const { id, agent_id, parent_execution_id } of rows) {
    yield* enqueue({ id, agentId: agent_id, parentExecutionId: parent_execution_id });
  }
}
