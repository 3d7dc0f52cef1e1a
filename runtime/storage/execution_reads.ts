// Reading executions out of SQLite: one, many, and what a run needs of earlier ones.
import type { Execution, ExecutionStatus, ExecutionTotals } from "../executions/execution.ts";
import type { ExecutionRequest } from "../executions/execution_request.ts";
import type { ExecutionStore, StoredConversation } from "../executions/execution_store.ts";
import type { HumanRequest } from "../executions/human_request.ts";
import type { UsageStep } from "../executions/usage.ts";
import { bucketOf } from "./buckets.ts";
import { selectCalls, selectMessages } from "./conversations.ts";
import type { Database } from "./database.ts";
import { EXECUTION_COLUMNS, type ExecutionRow, toExecution, toRequest } from "./execution_rows.ts";
import {
  selectChild,
  selectChildren,
  selectDelegated,
  selectForsaken,
  selectLineage,
  sumDescendants,
} from "./lineage.ts";
import { selectUsage } from "./usage.ts";
import { selectAnswers, selectNextExpiry, selectOpenRequest } from "./requests.ts";

/** The reading half of an ExecutionStore. */
export class SqliteExecutionReads {
  readonly #db: Database;
  readonly #instanceId: string;

  constructor(db: Database, instanceId: string) {
    this.#db = db;
    this.#instanceId = instanceId;
  }

  findAbandoned(): Promise<number[]> {
    return Promise.resolve(
      this.#db.all<{ id: number }>(
        "SELECT id FROM executions WHERE status = 'running' AND instance_id <> ? ORDER BY id",
        this.#instanceId,
      ).map(({ id }) => id),
    );
  }

  readExecution(
    id: number,
  ): Promise<
    { execution: Execution; request: ExecutionRequest; output: string | null } | undefined
  > {
    const row = this.#db.get<ExecutionRow & { output_data: string | null }>(
      `SELECT ${EXECUTION_COLUMNS}, output_data FROM executions WHERE id = ?`,
      id,
    );
    return Promise.resolve(
      row && { execution: toExecution(row), request: toRequest(row), output: row.output_data },
    );
  }

  listExecutions(filter: {
    statuses?: readonly ExecutionStatus[];
    agentId?: string;
    parentId?: number;
    limit: number;
    offset: number;
  }): Promise<Execution[]> {
    const { agentId, parentId } = filter;
    // Each number of them is a statement of its own, which is kept: naming one again must not make another.
    const statuses = [...new Set(filter.statuses)];
    const conditions = [
      ...(statuses.length > 0 ? [`status IN (${statuses.map(() => "?").join(", ")})`] : []),
      ...(agentId === undefined ? [] : ["agent_id = ?"]),
      ...(parentId === undefined ? [] : ["parent_execution_id = ?"]),
    ];
    const rows = this.#db.all<ExecutionRow>(
      `SELECT ${EXECUTION_COLUMNS} FROM executions ` +
        (conditions.length > 0 ? `WHERE ${conditions.join(" AND ")} ` : "") +
        "ORDER BY id DESC LIMIT ? OFFSET ?",
      ...statuses,
      ...(agentId === undefined ? [] : [agentId]),
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
    const newest = new Map<string, Execution>();
    for (const agentId of agentIds) {
      // One step down an index each, however many executions there are.
      const row = this.#db.get<ExecutionRow>(
        `SELECT ${EXECUTION_COLUMNS} FROM executions WHERE agent_id = ? ORDER BY id DESC LIMIT 1`,
        agentId,
      );
      if (row !== undefined) newest.set(agentId, toExecution(row));
    }
    return Promise.resolve(newest);
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

  readConversation(
    executionId: number,
  ): ReturnType<ExecutionStore["readConversation"]> {
    return Promise.resolve({
      messages: selectMessages(this.#db, executionId),
      calls: selectCalls(this.#db, executionId, { unlogged: false }),
      answers: selectAnswers(this.#db, executionId),
      delegated: selectDelegated(this.#db, executionId),
    });
  }

  readOpenRequest(executionId: number, requestId?: string): Promise<HumanRequest | undefined> {
    return Promise.resolve(selectOpenRequest(this.#db, executionId, requestId));
  }

  findChild(parentId: number, position: number): Promise<Execution | undefined> {
    return Promise.resolve(selectChild(this.#db, parentId, position));
  }

  listChildren(parentId: number): Promise<Execution[]> {
    return Promise.resolve(selectChildren(this.#db, parentId));
  }

  findForsaken(): Promise<number[]> {
    return Promise.resolve(selectForsaken(this.#db));
  }

  readLineage(executionId: number): Promise<string[]> {
    return Promise.resolve(selectLineage(this.#db, executionId));
  }

  sumDescendants(executionId: number): Promise<ExecutionTotals> {
    return Promise.resolve(sumDescendants(this.#db, executionId));
  }

  readNextExpiry(): Promise<HumanRequest | undefined> {
    return Promise.resolve(selectNextExpiry(this.#db));
  }

  readSeed(execution: Execution): Promise<StoredConversation | undefined> {
    const { condition, values } = bucketOf(execution);
    const row = this.#db.get<ExecutionRow>(
      `SELECT ${EXECUTION_COLUMNS} FROM executions WHERE ${condition} AND id < ? ` +
        "AND status NOT IN ('running', 'waiting') " +
        "AND EXISTS (SELECT 1 FROM messages WHERE execution_id = executions.id) " +
        "ORDER BY id DESC LIMIT 1",
      ...values,
      execution.id,
    );
    return Promise.resolve(
      row && {
        execution: toExecution(row),
        messages: selectMessages(this.#db, row.id).map(({ message }) => message),
      },
    );
  }
}
