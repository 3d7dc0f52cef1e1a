// Executions in SQLite as they stand: one, many, and what they used.
import type { Execution } from "../executions/execution.ts";
import type { ExecutionStatus } from "../executions/states.ts";
import type {
  ExecutionFilter,
  ExecutionReads,
  StoredExecution,
} from "../executions/record/execution_reads.ts";
import type { UsageStep } from "../executions/usage.ts";
import type { Database } from "./database.ts";
import { EXECUTION_COLUMNS, type ExecutionRow, toExecution, toRequest } from "./execution_rows.ts";
import { selectByKey } from "./idempotency_keys.ts";
import { selectUsage } from "./usage.ts";

/** Reads executions of all instances. */
export class SqliteExecutionReads implements ExecutionReads {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  readExecution(id: number): Promise<StoredExecution | undefined> {
    const row = this.#db.get<ExecutionRow & { output_data: string | null }>(
      `SELECT ${EXECUTION_COLUMNS}, output_data FROM executions WHERE id = ?`,
      id,
    );
    return Promise.resolve(row && toStored(row));
  }

  readByKey(key: string, now: number): Promise<StoredExecution | undefined> {
    const row = selectByKey(this.#db, { key, now });
    return Promise.resolve(row && toStored(row));
  }

  listExecutions(filter: ExecutionFilter): Promise<Execution[]> {
    const { parentId } = filter;
    const agentIds = [...new Set([filter.agentId ?? []].flat())];
    // Each number of them is a statement of its own, which is kept: naming one again must not make another.
    const statuses = [...new Set(filter.statuses)];
    const conditions = [
      ...(statuses.length > 0 ? [`status IN (${statuses.map(() => "?").join(", ")})`] : []),
      ...(agentIds.length > 0 ? [`agent_id IN (${agentIds.map(() => "?").join(", ")})`] : []),
      ...(parentId === undefined ? [] : ["parent_execution_id = ?"]),
    ];
    const rows = this.#db.all<ExecutionRow>(
      `SELECT ${EXECUTION_COLUMNS} FROM executions ` +
        (conditions.length > 0 ? `WHERE ${conditions.join(" AND ")} ` : "") +
        "ORDER BY id DESC LIMIT ? OFFSET ?",
      ...statuses,
      ...agentIds,
      ...(parentId === undefined ? [] : [parentId]),
      filter.limit,
      filter.offset,
    );
    return Promise.resolve(rows.map(toExecution));
  }

  readUsage(from: number): Promise<UsageStep[]> {
    return Promise.resolve(selectUsage(this.#db, from));
  }

  newestByAgent(agentIds: readonly string[]): Promise<Map<string, Execution>> {
    // One step down an index for each agent, however many executions there are.
    const rows = this.#db.all<ExecutionRow>(
      `SELECT ${EXECUTION_COLUMNS} FROM executions WHERE id IN (SELECT (SELECT id FROM executions ` +
        "WHERE agent_id = asked.value ORDER BY id DESC LIMIT 1) FROM json_each(?) AS asked)",
      JSON.stringify(agentIds),
    );
    return Promise.resolve(new Map(rows.map((row) => [row.agent_id, toExecution(row)])));
  }

  readIsEstimated(id: number): Promise<boolean> {
    // Its last frame says so. Of a long one that is no end, nothing is looked at.
    const last = this.#db.get<{ isEstimated: number | null }>(
      "SELECT CASE event WHEN 'complete' THEN payload ->> '$.usage_estimated' END AS isEstimated " +
        "FROM frames WHERE execution_id = ? ORDER BY id DESC LIMIT 1",
      id,
    );
    return Promise.resolve(last?.isEstimated === 1);
  }

  countByStatus(statuses: readonly ExecutionStatus[]): Promise<number> {
    const row = this.#db.get<{ n: number }>(
      `SELECT count(*) AS n FROM executions WHERE status IN (${
        statuses.map(() => "?").join(", ")
      })`,
      ...statuses,
    );
    return Promise.resolve(row?.n ?? 0);
  }
}

function toStored(row: ExecutionRow & { output_data: string | null }): StoredExecution {
  return { execution: toExecution(row), request: toRequest(row), output: row.output_data };
}
