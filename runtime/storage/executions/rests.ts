// Stores the rests of executions and their ends, and finds the next rest that ends.
import { type AuditEntry, recordAudit } from "../../audit/audit_table.ts";
import type { Execution, RunRest } from "../../executions/execution.ts";
import type {
  EndedRest,
  NextRest,
  Pause,
  RestStore,
  Resumption,
} from "../../executions/record/ending_store.ts";
import type { Database } from "../../database/database.ts";
import { announce, enqueue, get, type Operation, send } from "../../database/operation.ts";
import { appendFrames } from "../frames.ts";
import {
  EXECUTION_COLUMNS,
  type ExecutionRow,
  requireExecution,
  toExecution,
} from "./execution_rows.ts";

/** SQL: the execution rests, so no process holds it. The column is null for every other execution. */
export const RESTS = "rests_until IS NOT NULL";

/** Stores a pause of a running execution in the open transaction. */
export function* holdExecution(
  executionId: number,
  { durationMs, frames, retry, rest }: Pause,
): Operation<void> {
  yield* send(
    "UPDATE executions SET duration_ms = coalesce(duration_ms, 0) + ?, retry = coalesce(?, retry), " +
      "rests_until = ?, rest = coalesce(?, rest) WHERE id = ? AND status = 'running'",
    durationMs,
    retry === undefined ? null : JSON.stringify(retry),
    rest?.until ?? null,
    rest === undefined ? null : JSON.stringify(rest),
    executionId,
  );
  yield* appendFrames(executionId, frames);
}

/** The end of a rest. `ownerId` becomes the owner of the execution; null leaves it to the node that claims it. */
interface RestEnd {
  ended: EndedRest;
  ownerId: string | null;
}

/** Ends rests for one service instance. */
export class SqlRestStore implements RestStore {
  readonly #db: Database;
  readonly #ownerId: string | null;

  constructor(db: Database, ownerId: string | null) {
    this.#db = db;
    this.#ownerId = ownerId;
  }

  endRest(
    executionId: number,
    ended: EndedRest,
    audit?: AuditEntry,
  ): Promise<Resumption | undefined> {
    const end = { ended, ownerId: this.#ownerId };
    return this.#db.change("power", function* () {
      const isDue = ended.by === "time" ? " AND rests_until <= ?2" : "";
      const row = yield* lockRest(`id = ?1${isDue}`, [executionId, ...isDue ? [ended.at] : []]);
      if (row === undefined) return undefined;
      const execution = yield* endRest(row, end);
      yield* recordAudit(audit, { executionId });
      return { execution, ancestors: yield* endRestsAbove(executionId, end) };
    });
  }

  readNextRest(): Promise<NextRest | undefined> {
    // The rest of a parent ends with its child's rest.
    return this.#db.read(function* () {
      const row = yield* get<NextRest>(
        `SELECT id, rests_until AS until FROM executions WHERE ${RESTS} ` +
          "AND rest ->> '$.childId' IS NULL ORDER BY rests_until LIMIT 1",
      );
      return row && { ...row };
    });
  }
}

/**
 * Ends the rests of the ancestors that rest only because this execution rested. Returns them, nearest first. They run again.
 */
export function* endRestsAbove(executionId: number, end: RestEnd): Operation<Execution[]> {
  const awake: Execution[] = [];
  for (let below = executionId;;) {
    const row = yield* lockRest(
      "id = (SELECT parent_execution_id FROM executions WHERE id = ?)",
      [below],
    );
    if (row === undefined || toExecution(row).rest?.childId !== below) return awake;
    awake.push(yield* endRest(row, end));
    below = row.id;
  }
}

/** Returns a resting execution, and locks its row until the transaction ends. */
function* lockRest(
  condition: string,
  values: readonly number[],
): Operation<ExecutionRow | undefined> {
  const select = `SELECT ${EXECUTION_COLUMNS} FROM executions WHERE ${condition} AND ${RESTS}`;
  return yield* get<ExecutionRow>(
    { sqlite: select, postgres: `${select} FOR UPDATE` },
    ...values,
  );
}

function* endRest(row: ExecutionRow, { ended, ownerId }: RestEnd): Operation<Execution> {
  const rest: RunRest | undefined = toExecution(row).rest;
  const execution = requireExecution(
    yield* get<ExecutionRow>(
      "UPDATE executions SET rests_until = NULL, rest = ?, instance_id = ? " +
        `WHERE id = ? RETURNING ${EXECUTION_COLUMNS}`,
      JSON.stringify({ ...rest, ended }),
      ownerId,
      row.id,
    ),
  );
  yield* enqueue(execution);
  yield* announce(execution.id, { frames: [], state: "open" });
  return execution;
}
