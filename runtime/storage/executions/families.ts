// Stores and reads the parents and children of executions: waits for children, and lookups in the tree.
import { COST_PLACES } from "../../../base/cost.ts";
import {
  currentRest,
  type Execution,
  type ExecutionTotals,
  type RunRest,
} from "../../executions/execution.ts";
import type {
  FamilyStore,
  LineageMember,
  WaitForChild,
} from "../../executions/record/family_store.ts";
import type { HumanRequest } from "../../executions/human_request.ts";
import type { Database } from "../../database/database.ts";
import { EXECUTION_COLUMNS, type ExecutionRow, toExecution } from "./execution_rows.ts";
import { selectOpenRequest } from "./request_rows.ts";
import { pauseExecution, selectPaused } from "./waiting.ts";
import { holdExecution } from "./rests.ts";
import { all, fence, get, type Operation } from "../../database/operation.ts";

/** Returns the child execution that a tool call of the parent started, or undefined. */
export function* selectChild(
  parentId: number,
  position: number,
): Operation<Execution | undefined> {
  const row = yield* get<ExecutionRow>(
    `SELECT ${EXECUTION_COLUMNS} FROM executions WHERE parent_execution_id = ? AND parent_position = ?`,
    parentId,
    position,
  );
  return row && toExecution(row);
}

/** Returns the positions of the tool calls with which an execution started children. */
export function* selectDelegated(parentId: number): Operation<Set<number>> {
  const rows = yield* all<{ position: number }>(
    "SELECT parent_position AS position FROM executions " +
      "WHERE parent_execution_id = ? AND parent_position IS NOT NULL",
    parentId,
  );
  return new Set(rows.map(({ position }) => position));
}

/** Stores waits for children, and reads the tree of executions. */
export class SqlFamilyStore implements FamilyStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  waitForChild(
    executionId: number,
    waiting: WaitForChild,
  ): Promise<{ execution: Execution; request: HumanRequest } | { rest: RunRest } | undefined> {
    return this.#db.change("power", function* () {
      // The parent may wait only for a child that waits or rests itself. The end of a running child would not resume a
      // waiting parent.
      const child = yield* selectPaused(waiting.childId);
      if (child === undefined) return undefined;
      yield* fence(executionId);
      const { childId, durationMs } = waiting;
      const rested = currentRest(child);
      if (rested !== undefined) {
        const rest = { until: rested.until, reason: rested.reason, since: rested.since, childId };
        const frames = waiting.restFrames(rest);
        yield* holdExecution(executionId, { rest, durationMs, frames });
        return { rest };
      }
      const request = yield* selectOpenRequest(executionId);
      if (request === undefined) throw new TypeError("An execution waits for nothing");
      const frames = waiting.frames(request);
      return { execution: yield* pauseExecution(executionId, { durationMs, frames }), request };
    });
  }

  findChild(parentId: number, position: number): Promise<Execution | undefined> {
    return this.#db.read(() => selectChild(parentId, position));
  }

  listChildren(parentId: number): Promise<Execution[]> {
    return this.#db.read(function* () {
      const rows = yield* all<ExecutionRow>(
        `SELECT ${EXECUTION_COLUMNS} FROM executions WHERE parent_execution_id = ? ORDER BY id`,
        parentId,
      );
      return rows.map(toExecution);
    });
  }

  countUnsafeCalls(executionId: number): Promise<number> {
    return this.#db.read(function* () {
      const row = yield* get<{ n: number }>(
        "WITH RECURSIVE tree (id) AS (SELECT id FROM executions WHERE id = ? " +
          "UNION ALL SELECT e.id FROM executions e JOIN tree ON e.parent_execution_id = tree.id) " +
          "SELECT count(*) AS n FROM tool_calls WHERE execution_id IN (SELECT id FROM tree) " +
          "AND effect = 'unsafe' AND started_at IS NOT NULL",
        executionId,
      );
      return row?.n ?? 0;
    });
  }

  readLineage(executionId: number): Promise<LineageMember[]> {
    return this.#db.read(function* () {
      const rows = yield* all<LineageMember>(
        "WITH RECURSIVE above (id, agent_id, parent, distance) AS (" +
          "SELECT id, agent_id, parent_execution_id, 0 FROM executions WHERE id = ? UNION ALL " +
          "SELECT e.id, e.agent_id, e.parent_execution_id, above.distance + 1 " +
          "FROM executions e JOIN above ON e.id = above.parent) " +
          "SELECT id AS executionId, agent_id AS agentId FROM above ORDER BY distance",
        executionId,
      );
      return rows.map((row) => ({ ...row }));
    });
  }

  sumDescendants(executionId: number): Promise<ExecutionTotals> {
    return this.#db.read(function* () {
      const row = yield* get<ExecutionTotals>(
        "WITH RECURSIVE below (id) AS (SELECT id FROM executions WHERE parent_execution_id = ? " +
          "UNION ALL SELECT e.id FROM executions e JOIN below ON e.parent_execution_id = below.id) " +
          "SELECT count(*) AS count, coalesce(sum(input_tokens), 0) AS inputTokens, " +
          "coalesce(sum(output_tokens), 0) AS outputTokens, " +
          `coalesce(sum(total_tokens), 0) AS totalTokens, round(sum(cost_usd), ${COST_PLACES}) AS costUsd ` +
          "FROM executions WHERE id IN (SELECT id FROM below)",
        executionId,
      );
      if (row === undefined) throw new TypeError("An aggregate returned no row");
      return { ...row };
    });
  }
}
