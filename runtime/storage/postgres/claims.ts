// Claims executions for nodes. The columns exist only in PostgreSQL.
import type { ClaimedExecution, Delivery } from "../../executions/runs/shared_runs.ts";
import { isAlive } from "../../database/instances.ts";
import { QUEUE_SCHEMA } from "./queue_names.ts";
import {
  all,
  announce,
  enqueue,
  get,
  type Operation,
  run,
  type WaitingRun,
} from "../../database/operation.ts";
import { selectStored } from "../executions/execution_reads.ts";
import { ANSWERED_COLUMNS, type AnsweredRow, toStored } from "../executions/execution_rows.ts";
import { selectUncountedMs } from "../executions/recovery.ts";
import { RESTS } from "../executions/rests.ts";

/** A claimed execution. Every later write of the claiming node must contain its `epoch`. */
export type Claim = ClaimedExecution & { epoch: number };

/** SQL: the execution is running and does not rest, with this job, which was handed to this node the last time. */
const IS_CLAIMABLE = "id = ?1 AND job = ?2 AND status = 'running' " +
  `AND NOT (${RESTS}) ` +
  `AND EXISTS (SELECT 1 FROM ${QUEUE_SCHEMA}.job WHERE id = CAST(?2 AS uuid) AND state = 'active' ` +
  "AND retry_count = ?3)";

/**
 * Claims an execution for a node. Returns undefined if the execution has ended, waits or has a newer job, or if the job was
 * handed to another node. The caller then completes the job without a run.
 */
export function* claimExecution(
  { executionId: id, jobId, attempt }: Delivery,
  instanceId: string,
): Operation<Claim | undefined> {
  const unowned = yield* get<UnownedRow>(
    `UPDATE executions SET instance_id = ?4, epoch = epoch + 1 WHERE ${IS_CLAIMABLE} AND instance_id IS NULL ` +
      `RETURNING ${ANSWERED_COLUMNS}, epoch, cancelled, ` +
      // A run that asks for a sign-in at its start has no message, but an answer to read.
      "NOT EXISTS (SELECT 1 FROM messages WHERE execution_id = executions.id) " +
      "AND NOT EXISTS (SELECT 1 FROM requests WHERE execution_id = executions.id) AS isFresh",
    ...[id, jobId, attempt, instanceId],
  );
  if (unowned !== undefined) {
    const { epoch, cancelled, isFresh, ...row } = unowned;
    const subject = { ...toStored(row), ...(isFresh === 1 && { isFresh: true }) };
    return { subject, epoch, cancelled, isRedelivered: false, ranMs: 0 };
  }
  const found = yield* get<{ cancelled: string | null }>(
    `SELECT cancelled FROM executions WHERE ${IS_CLAIMABLE} FOR UPDATE`,
    ...[id, jobId, attempt],
  );
  if (found === undefined) return undefined;
  const ranMs = yield* selectUncountedMs(id);
  const row = yield* get<{ epoch: number }>(
    "UPDATE executions SET instance_id = ?, epoch = epoch + 1 WHERE id = ? RETURNING epoch",
    ...[instanceId, id],
  );
  const subject = yield* selectStored(id);
  if (row === undefined || subject === undefined) {
    throw new TypeError("An execution went while its row was held");
  }
  const { cancelled } = found;
  return { subject, epoch: row.epoch, cancelled, isRedelivered: true, ranMs };
}

/** The row of a claimed execution that no node ran before, or that has waited. */
type UnownedRow = AnsweredRow & {
  epoch: number;
  cancelled: string | null;
  /** 1 if the execution has no conversation and no questions yet, otherwise 0. */
  isFresh: number;
};

/** Returns true if the execution is running, does not rest, and this job is its current job. */
export function* isCurrentJob(id: number, jobId: string): Operation<boolean> {
  return (yield* get(
    `SELECT 1 FROM executions WHERE id = ? AND job = ? AND status = 'running' AND NOT (${RESTS})`,
    ...[id, jobId],
  )) !== undefined;
}

/**
 * Requests that the node of a running execution ends it with this error. Returns false if no node runs the execution. A
 * second request does not change the error.
 */
export function* requestCancel(id: number, error: string): Operation<boolean> {
  const changed = yield* run(
    "UPDATE executions SET cancelled = coalesce(cancelled, ?) WHERE id = ? AND status = 'running' " +
      `AND NOT (${RESTS})`,
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
  const rows = yield* all<WaitingRun>(
    "SELECT id, agent_id AS agentId, parent_execution_id AS parentExecutionId " +
      "FROM executions WHERE status = 'running' AND job IS NULL " +
      `AND NOT (${RESTS}) AND (instance_id IS NULL OR NOT ${
        isAlive("executions.instance_id")
      }) ORDER BY id FOR UPDATE`,
  );
  for (const row of rows) yield* enqueue(row);
}
