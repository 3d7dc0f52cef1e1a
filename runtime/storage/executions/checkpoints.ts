// Conversations in SQLite as a stock: counting them, removing them, and giving the space back to the file system.
import type {
  AgentCheckpoints,
  CheckpointStats,
  CheckpointStore,
  PurgeSelection,
} from "../../executions/record/checkpoint_store.ts";
import type { Database } from "../database.ts";
import { removeUnusedTerms } from "./call_terms.ts";
import { IS_REAL, OPEN } from "./execution_rows.ts";
import { ifThere } from "../../../base/files/missing.ts";

/** The stored conversations of one database. */
export class SqliteCheckpointStore implements CheckpointStore {
  readonly #db: Database;
  readonly #path: string;

  constructor(db: Database, path: string) {
    this.#db = db;
    this.#path = path;
  }

  readStats(): Promise<CheckpointStats> {
    const agents = this.#db.all<AgentCheckpoints>(
      "SELECT e.agent_id AS agentId, count(DISTINCT m.execution_id) AS threads, " +
        "count(*) AS messages, sum(length(CAST(m.body AS BLOB))) AS bytes " +
        "FROM messages m JOIN executions e ON e.id = m.execution_id " +
        "GROUP BY e.agent_id ORDER BY e.agent_id",
    );
    return Promise.resolve({
      path: this.#path,
      sizeBytes: sizeOf(this.#path) + sizeOf(`${this.#path}-wal`),
      threads: agents.reduce((sum, { threads }) => sum + threads, 0),
      agents: agents.map((agent) => ({ ...agent })),
    });
  }

  purge(selection: PurgeSelection): Promise<number> {
    const { agentId, endedBefore, keepNewest } = selection;
    return this.#remove(() => {
      const doomed = this.#db.all<{ id: number }>(
        `SELECT e.id FROM executions e WHERE e.status NOT IN ${OPEN} ` +
          "AND EXISTS (SELECT 1 FROM messages m WHERE m.execution_id = e.id) " +
          "AND (?1 IS NULL OR e.agent_id = ?1) AND (?2 IS NULL OR e.finished_at < ?2) " +
          // A later run begins with the newest real one.
          `AND (?3 = 0 OR e.id < (SELECT max(n.id) FROM executions n WHERE n.agent_id = e.agent_id AND n.${IS_REAL} ` +
          "AND EXISTS (SELECT 1 FROM messages m WHERE m.execution_id = n.id)))",
        agentId ?? null,
        endedBefore ?? null,
        keepNewest ? 1 : 0,
      );
      for (const { id } of doomed) {
        this.#db.run("DELETE FROM messages WHERE execution_id = ?", id);
        this.#db.run("DELETE FROM tool_calls WHERE execution_id = ?", id);
        this.#db.run("DELETE FROM requests WHERE execution_id = ?", id);
      }
      return doomed.length;
    });
  }

  removeExecutions(endedBefore: number): Promise<number> {
    return this.#remove(() =>
      this.#db.run(
        // From the top down: what one delegated stays as long as itself, which may still ask for its result.
        "DELETE FROM executions WHERE id IN (WITH RECURSIVE doomed (id) AS (" +
          "SELECT id FROM executions WHERE parent_execution_id IS NULL " +
          `AND status NOT IN ${OPEN} AND finished_at < ?1 UNION ALL ` +
          "SELECT e.id FROM executions e JOIN doomed ON e.parent_execution_id = doomed.id " +
          `WHERE e.status NOT IN ${OPEN} AND e.finished_at < ?1) SELECT id FROM doomed)`,
        endedBefore,
      ).changes
    );
  }

  findWaiting(agentId: string | undefined): Promise<number[]> {
    return Promise.resolve(
      this.#db.all<{ id: number }>(
        "SELECT id FROM executions WHERE status = 'waiting' AND (?1 IS NULL OR agent_id = ?1) ORDER BY id",
        agentId ?? null,
      ).map(({ id }) => id),
    );
  }

  /** One transaction that removes, then the freed pages go back to the file system. */
  #remove(work: () => number): Promise<number> {
    return new Promise((resolve) => {
      const count = this.#db.transaction("power", () => {
        const removed = work();
        if (removed > 0) removeUnusedTerms(this.#db);
        return removed;
      });
      if (count > 0) this.#db.shrink();
      resolve(count);
    });
  }
}

function sizeOf(path: string): number {
  // In memory, or no write-ahead log at the moment.
  return ifThere(() => Deno.statSync(path).size) ?? 0;
}
