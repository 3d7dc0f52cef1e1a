// Pauses and resumes executions in the open transaction.
import type { FrameDraft } from "../../events/frame.ts";
import type { Execution } from "../../executions/execution.ts";
import { stateBefore } from "../../executions/states.ts";
import {
  EXECUTION_COLUMNS,
  type ExecutionRow,
  requireExecution,
  toExecution,
} from "./execution_rows.ts";
import { appendFrames } from "../frames.ts";
import { RESTS } from "./rests.ts";
import { announce, enqueue, get, type Operation } from "../../database/operation.ts";

const PAUSED_STATUS = stateBefore("running", "answer");

/**
 * Returns an execution that rests or waits for a person, directly or through a descendant. Returns undefined for another
 * one. Locks this state until the transaction ends.
 */
export function* selectPaused(executionId: number): Operation<Execution | undefined> {
  const select = `SELECT ${EXECUTION_COLUMNS} FROM executions WHERE id = ? ` +
    `AND (status = 'waiting' OR ${RESTS})`;
  const row = yield* get<ExecutionRow>(
    { sqlite: select, postgres: `${select} FOR UPDATE` },
    executionId,
  );
  return row && toExecution(row);
}

/** Changes a running execution to waiting, and appends frames. Adds `durationMs` to its duration. Returns the execution. */
export function* pauseExecution(
  executionId: number,
  pause: { durationMs: number; frames: readonly FrameDraft[] },
): Operation<Execution> {
  const row = yield* get<ExecutionRow>(
    "UPDATE executions SET status = 'waiting', duration_ms = coalesce(duration_ms, 0) + ? " +
      `WHERE id = ? AND status = '${stateBefore("waiting", "run")}' RETURNING ${EXECUTION_COLUMNS}`,
    pause.durationMs,
    executionId,
  );
  yield* appendFrames(executionId, pause.frames, "waiting");
  return requireExecution(row);
}

/**
 * Changes a waiting execution to running and queues it. `ownerId` becomes its owner; null leaves it to the node that claims
 * it.
 */
export function* resumeExecution(
  executionId: number,
  ownerId: string | null,
): Operation<Execution> {
  const execution = requireExecution(
    yield* get<ExecutionRow>(
      "UPDATE executions SET status = 'running', instance_id = ? " +
        `WHERE id = ? AND status = '${PAUSED_STATUS}' RETURNING ${EXECUTION_COLUMNS}`,
      ownerId,
      executionId,
    ),
  );
  yield* enqueue(execution);
  return execution;
}

/**
 * Resumes the ancestors that waited only for this execution, as resumeExecution() does. Stops at an ancestor with an open
 * question of its own. Returns the resumed executions, nearest first.
 */
export function* resumeAncestors(
  executionId: number,
  ownerId: string | null,
): Operation<Execution[]> {
  const awake: Execution[] = [];
  for (let below = executionId;;) {
    const row = yield* get<ExecutionRow>(
      "UPDATE executions SET status = 'running', instance_id = ? " +
        "WHERE id = (SELECT parent_execution_id FROM executions WHERE id = ?) " +
        `AND status = '${PAUSED_STATUS}' ` +
        "AND NOT EXISTS (SELECT 1 FROM requests r WHERE r.execution_id = executions.id " +
        `AND r.answered_at IS NULL) RETURNING ${EXECUTION_COLUMNS}`,
      ownerId,
      below,
    );
    if (row === undefined) return awake;
    const execution = toExecution(row);
    yield* enqueue(execution);
    yield* announce(execution.id, { frames: [], state: "open" });
    awake.push(execution);
    below = row.id;
  }
}
