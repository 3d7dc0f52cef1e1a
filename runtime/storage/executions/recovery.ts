// Finds the executions of service instances that have ended, and assigns them to this instance.
import type { RecoveryStore } from "../../executions/record/recovery_store.ts";
import type { Database } from "../../database/database.ts";
import { OPEN, selectIds } from "./execution_rows.ts";
import { RESTS } from "./rests.ts";
import { all, get, type Operation, send } from "../../database/operation.ts";

interface LoggedAt {
  event: string;
  /** The time of the frame, in ISO 8601. */
  at: string;
}

/** Finds and adopts abandoned executions for one service instance. */
export class SqlRecoveryStore implements RecoveryStore {
  readonly #db: Database;
  readonly #instanceId: string;

  constructor(db: Database, instanceId: string) {
    this.#db = db;
    this.#instanceId = instanceId;
  }

  findAbandoned(): Promise<number[]> {
    return this.#db.read(() =>
      selectIds(
        `SELECT id FROM executions WHERE status = 'running' AND NOT (${RESTS}) ` +
          "AND instance_id <> ? ORDER BY id",
        this.#instanceId,
      )
    );
  }

  adoptExecution(executionId: number): Promise<void> {
    const sql = "UPDATE executions SET instance_id = ? WHERE id = ? AND status = 'running'";
    return this.#db.change("power", () => send(sql, this.#instanceId, executionId));
  }

  readUncountedMs(executionId: number): Promise<number> {
    return this.#db.read(() => selectUncountedMs(executionId));
  }

  findWithEndedParent(): Promise<number[]> {
    return this.#db.read(() =>
      selectIds(
        "SELECT e.id FROM executions e JOIN executions above ON above.id = e.parent_execution_id " +
          `WHERE (e.status = 'waiting' OR e.${RESTS}) AND above.status NOT IN ${OPEN} ORDER BY e.id`,
      )
    );
  }

  async findCancelled(): Promise<{ id: number; error: string }[]> {
    // With SQLite, the only service ends cancelled executions immediately and stores no requests to cancel.
    if (this.#db.kind === "sqlite") return [];
    return await this.#db.read(() =>
      all<{ id: number; error: string }>(
        "SELECT id, cancelled AS error FROM executions " +
          `WHERE (status = 'waiting' OR ${RESTS}) AND cancelled IS NOT NULL ORDER BY id`,
      )
    );
  }
}

/**
 * Returns the running time that a killed service did not store, in milliseconds: from the last stored duration to the last
 * frame.
 */
export function* selectUncountedMs(executionId: number): Operation<number> {
  // Only a killed service leaves time uncounted. If the execution is older than this service, it was adopted: the idle time
  // before the adoption is unknown, so no time is added.
  const killed = yield* get<{ startedAt: number; restedTo: string | number | null }>(
    "SELECT e.started_at AS startedAt, e.rest ->> '$.ended.at' AS restedTo " +
      "FROM executions e JOIN instances i ON i.id = e.instance_id " +
      "WHERE e.id = ? AND i.stopped_at IS NULL AND e.started_at >= i.started_at",
    executionId,
  );
  if (killed === undefined) return 0;
  const select =
    "SELECT event, payload ->> '$.timestamp' AS at FROM frames WHERE execution_id = ? ";
  const last = yield* get<LoggedAt>(`${select}ORDER BY id DESC LIMIT 1`, executionId);
  // The last frame at which the duration was stored: the start, a reply, a question or an answer.
  const counted = yield* get<LoggedAt>(
    `${select} AND (payload ->> '$.event_type' IN ('execution_info', 'stats') ` +
      "OR payload ->> '$.request_id' IS NOT NULL) ORDER BY id DESC LIMIT 1",
    executionId,
  );
  if (last === undefined || counted === undefined) return 0;
  // The execution was resumed by an answer to a question of another execution, at an unknown time.
  if (counted.event === "interrupt") return 0;
  // Frames that a fork copied are older than its start, and time before a rest is already counted. So the latest of these
  // times counts.
  const since = Math.max(Date.parse(counted.at), killed.startedAt, Number(killed.restedTo));
  return Math.max(0, Date.parse(last.at) - since);
}
