// Claims executions for nodes. The columns exist only in PostgreSQL.
import type { ClaimedExecution } from "../../executions/runs/shared_runs.ts";
import { isAlive } from "../../database/instances.ts";
import { QUEUE_SCHEMA } from "./queue_names.ts";
import { all, announce, enqueue, get, type Operation, run } from "../../database/operation.ts";
import { selectStored } from "../executions/execution_reads.ts";
import { selectUncountedMs } from "../executions/recovery.ts";

/** A node's request to run an execution, with the job that the queue handed to the node. */
export interface ClaimRequest {
  id: number;
  jobId: string;
  /** The number of times that the job was handed to a node before. */
  attempt: number;
  instanceId: string;
}

/** A claimed execution. Every later write of the claiming node must contain its `epoch`. */
export type Claim = ClaimedExecution & { epoch: number };

/**
 * Claims an execution for a node. Returns undefined if the execution has ended, waits or has a newer job, or if the job was
 * handed to another node. The caller then completes the job without a run.
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

/** Returns true if the execution is running and this job is its current job. */
export function* isCurrentJob(id: number, jobId: string): Operation<boolean> {
  return (yield* get(
    "SELECT 1 FROM executions WHERE id = ? AND job = ? AND status = 'running'",
    ...[id, jobId],
  )) !== undefined;
}

/**
 * Requests that the node of a running execution ends it with this error. Returns false if the execution is not running. A
 * second request does not change the error.
 */
export function* requestCancel(id: number, error: string): Operation<boolean> {
  const changed = yield* run(
    "UPDATE executions SET cancelled = coalesce(cancelled, ?) WHERE id = ? AND status = 'running'",
    ...[error, id],
  );
  if (changed > 0) yield* announce(id);
  return changed > 0;
}

/**
 * Creates jobs for running executions that have neither a job nor a living owner. Such executions exist after a history was
 * copied from another database, or if a node died while it ended an execution.
 */
export function* enqueueWithoutJob(): Operation<void> {
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
