// Who may run an execution, where several machines could: what is asked and stored of it. Only PostgreSQL has these columns.
import type { Taken } from "../../executions/runs/shared_runs.ts";
import { isAlive } from "../instances.ts";
import { QUEUE_SCHEMA } from "./queue_names.ts";
import { all, announce, enqueue, get, type Operation, run } from "../operation.ts";
import { selectStored } from "../executions/execution_reads.ts";
import { selectUncountedMs } from "../executions/recovery.ts";

/** What claims an execution: a machine, with the job that was delivered to it. */
export interface ClaimRequest {
  id: number;
  jobId: string;
  /** Which delivery of the job it is. */
  attempt: number;
  instanceId: string;
}

/** What a machine has of an execution that it took; `epoch` names this taking of it in every later write. */
export type Claim = Taken & { epoch: number };

/**
 * Makes the execution this machine's. Undefined: it has ended, waits, has another job since, or this one was given to
 * another machine; this delivery is to be completed without effect.
 */
export function* claimExecution(
  { id, jobId, attempt, instanceId }: ClaimRequest,
): Operation<Claim | undefined> {
  const found = yield* get<{ previous: string | null; cancelled: string | null }>(
    "SELECT instance_id AS previous, cancelled FROM executions WHERE id = ?1 AND job = ?2 AND status = 'running' " +
      `AND EXISTS (SELECT 1 FROM ${QUEUE_SCHEMA}.job WHERE id = CAST(?2 AS uuid) AND state = 'active' ` +
      "AND retry_count = ?3) FOR UPDATE",
    ...[id, jobId, attempt],
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
