// Counts and removes stored conversations, and frees their disk space.
import { recordAudit } from "../../audit/audit_table.ts";
import type {
  AgentCheckpoints,
  CheckpointStats,
  CheckpointStore,
  PurgeSelection,
} from "../../executions/record/checkpoint_store.ts";
import type { Database } from "../../database/database.ts";
import { removeUnusedTerms } from "./call_terms.ts";
import { IS_REAL, OPEN, selectIds } from "./execution_rows.ts";
import { all, type Operation, run, send } from "../../database/operation.ts";

/** SQL: the execution `e` ended before the time ?1. */
const IS_OLD = `e.status NOT IN ${OPEN} AND e.finished_at < ?1`;

/** Counts and removes the stored conversations of one database. */
export class SqlCheckpointStore implements CheckpointStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async readStats(): Promise<CheckpointStats> {
    const agents = await this.#db.read(() =>
      all<AgentCheckpoints>(
        "SELECT e.agent_id AS agentId, count(DISTINCT m.execution_id) AS threads, " +
          "count(*) AS messages, sum(octet_length(m.body)) AS bytes " +
          "FROM messages m JOIN executions e ON e.id = m.execution_id " +
          "GROUP BY e.agent_id ORDER BY e.agent_id",
      )
    );
    return {
      path: this.#db.place,
      sizeBytes: await this.#db.readBytes(),
      threads: agents.reduce((sum, { threads }) => sum + threads, 0),
      agents: agents.map((agent) => ({ ...agent })),
    };
  }

  purge({ agentId, endedBefore, keepNewest, audit }: PurgeSelection): Promise<number> {
    return this.#remove(function* () {
      const doomed = yield* selectIds(
        `SELECT e.id FROM executions e WHERE e.status NOT IN ${OPEN} ` +
          "AND EXISTS (SELECT 1 FROM messages m WHERE m.execution_id = e.id) " +
          "AND (CAST(?1 AS TEXT) IS NULL OR e.agent_id = ?1) AND (CAST(?2 AS BIGINT) IS NULL OR e.finished_at < ?2) " +
          // Keeps the conversation of the newest execution that is no dry run, because the next run continues from it.
          `AND (?3 = 0 OR e.id < (SELECT max(n.id) FROM executions n WHERE n.agent_id = e.agent_id AND n.${IS_REAL} ` +
          "AND EXISTS (SELECT 1 FROM messages m WHERE m.execution_id = n.id)))",
        agentId ?? null,
        endedBefore ?? null,
        keepNewest ? 1 : 0,
      );
      for (const id of doomed) {
        yield* send("DELETE FROM messages WHERE execution_id = ?", id);
        yield* send("DELETE FROM tool_calls WHERE execution_id = ?", id);
        yield* send("DELETE FROM requests WHERE execution_id = ?", id);
      }
      yield* recordAudit(audit && { ...audit, detail: { ...audit.detail, purged: doomed.length } });
      return doomed.length;
    });
  }

  removeExecutions(endedBefore: number): Promise<number> {
    return this.#remove(() =>
      run(
        // Removes an execution only together with its delegated ones: a parent may still read the result of a child, and
        // a child names its parent.
        "DELETE FROM executions WHERE id IN (WITH RECURSIVE family (root, id, is_old) AS (" +
          `SELECT e.id, e.id, ${IS_OLD} FROM executions e ` +
          `WHERE e.parent_execution_id IS NULL AND ${IS_OLD} UNION ALL ` +
          `SELECT family.root, e.id, ${IS_OLD} FROM executions e ` +
          "JOIN family ON e.parent_execution_id = family.id) " +
          "SELECT id FROM family WHERE root NOT IN (SELECT root FROM family WHERE NOT is_old))",
        endedBefore,
      )
    );
  }

  findWaiting(agentId: string | undefined): Promise<number[]> {
    return this.#db.read(() =>
      selectIds(
        "SELECT id FROM executions WHERE status = 'waiting' AND (CAST(?1 AS TEXT) IS NULL OR agent_id = ?1) ORDER BY id",
        agentId ?? null,
      )
    );
  }

  /**
   * Runs `work` in one transaction, which returns the number of removed executions or conversations. Then frees the disk
   * space.
   */
  async #remove(work: () => Operation<number>): Promise<number> {
    const count = await this.#db.change("power", function* () {
      const removed = yield* work();
      if (removed > 0) yield* removeUnusedTerms();
      return removed;
    });
    if (count > 0) await this.#db.shrink();
    return count;
  }
}
