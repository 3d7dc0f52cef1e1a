// Executions above and below each other: finding them, and waking those that waited only for one below.
import type { Execution, ExecutionTotals } from "../executions/execution.ts";
import type { Database } from "./database.ts";
import { EXECUTION_COLUMNS, type ExecutionRow, toExecution } from "./execution_rows.ts";

/** The execution that a call of another one started. */
export function selectChild(
  db: Database,
  parentId: number,
  position: number,
): Execution | undefined {
  const row = db.get<ExecutionRow>(
    `SELECT ${EXECUTION_COLUMNS} FROM executions WHERE parent_execution_id = ? AND parent_position = ?`,
    parentId,
    position,
  );
  return row && toExecution(row);
}

/** What an execution delegated to directly, oldest first. */
export function selectChildren(db: Database, parentId: number): Execution[] {
  return db.all<ExecutionRow>(
    `SELECT ${EXECUTION_COLUMNS} FROM executions WHERE parent_execution_id = ? ORDER BY id`,
    parentId,
  ).map(toExecution);
}

/** The agents of an execution and of all above it, its own first. */
export function selectLineage(db: Database, executionId: number): string[] {
  return db.all<{ agent_id: string }>(
    "WITH RECURSIVE above (id, agent_id, parent, distance) AS (" +
      "SELECT id, agent_id, parent_execution_id, 0 FROM executions WHERE id = ? UNION ALL " +
      "SELECT e.id, e.agent_id, e.parent_execution_id, above.distance + 1 " +
      "FROM executions e JOIN above ON e.id = above.parent) " +
      "SELECT agent_id FROM above ORDER BY distance",
    executionId,
  ).map(({ agent_id }) => agent_id);
}

/** What all executions below one used together. */
export function sumDescendants(db: Database, executionId: number): ExecutionTotals {
  const row = db.get<ExecutionTotals>(
    "WITH RECURSIVE below (id) AS (SELECT id FROM executions WHERE parent_execution_id = ? " +
      "UNION ALL SELECT e.id FROM executions e JOIN below ON e.parent_execution_id = below.id) " +
      "SELECT count(*) AS count, coalesce(sum(input_tokens), 0) AS inputTokens, " +
      "coalesce(sum(output_tokens), 0) AS outputTokens, " +
      "coalesce(sum(total_tokens), 0) AS totalTokens, sum(cost_usd) AS costUsd " +
      "FROM executions WHERE id IN (SELECT id FROM below)",
    executionId,
  );
  if (row === undefined) throw new TypeError("An aggregate returned no row");
  return { ...row };
}

/** The places of an execution's calls that others were started for. */
export function selectDelegated(db: Database, parentId: number): Set<number> {
  const rows = db.all<{ position: number }>(
    "SELECT parent_position AS position FROM executions " +
      "WHERE parent_execution_id = ? AND parent_position IS NOT NULL",
    parentId,
  );
  return new Set(rows.map(({ position }) => position));
}

/** Whether an execution waits for a person, or for another one that does. */
export function isWaiting(db: Database, executionId: number): boolean {
  return db.get("SELECT 1 FROM executions WHERE id = ? AND status = 'waiting'", executionId) !==
    undefined;
}

/** Waiting executions below one that has ended. */
export function selectForsaken(db: Database): number[] {
  return db.all<{ id: number }>(
    "SELECT e.id FROM executions e JOIN executions above ON above.id = e.parent_execution_id " +
      "WHERE e.status = 'waiting' AND above.status NOT IN ('running', 'waiting') ORDER BY e.id",
  ).map(({ id }) => id);
}

/**
 * Lets those above an execution run again, here, that waited only for it: one with a question of its own goes on
 * waiting, and so do those above that. The nearest first.
 */
export function wakeAncestors(
  db: Database,
  executionId: number,
  instanceId: string,
): Execution[] {
  const awake: Execution[] = [];
  for (let below = executionId;;) {
    const row = db.get<ExecutionRow>(
      "UPDATE executions SET status = 'running', instance_id = ? " +
        "WHERE id = (SELECT parent_execution_id FROM executions WHERE id = ?) AND status = 'waiting' " +
        "AND NOT EXISTS (SELECT 1 FROM requests r WHERE r.execution_id = executions.id " +
        `AND r.answered_at IS NULL) RETURNING ${EXECUTION_COLUMNS}`,
      instanceId,
      below,
    );
    if (row === undefined) return awake;
    awake.push(toExecution(row));
    below = row.id;
  }
}
