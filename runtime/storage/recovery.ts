// What dead instances left behind in SQLite.
import type { RecoveryStore } from "../executions/recovery_store.ts";
import type { Database } from "./database.ts";

/** What others left to this service instance. */
export class SqliteRecoveryStore implements RecoveryStore {
  readonly #db: Database;
  readonly #instanceId: string;

  constructor(db: Database, instanceId: string) {
    this.#db = db;
    this.#instanceId = instanceId;
  }

  findAbandoned(): Promise<number[]> {
    const rows = this.#db.all<{ id: number }>(
      "SELECT id FROM executions WHERE status = 'running' AND instance_id <> ? ORDER BY id",
      this.#instanceId,
    );
    return Promise.resolve(rows.map(({ id }) => id));
  }

  adoptExecution(executionId: number): Promise<void> {
    return this.#db.change("power", () => {
      this.#db.run(
        "UPDATE executions SET instance_id = ? WHERE id = ? AND status = 'running'",
        this.#instanceId,
        executionId,
      );
    });
  }

  findForsaken(): Promise<number[]> {
    const rows = this.#db.all<{ id: number }>(
      "SELECT e.id FROM executions e JOIN executions above ON above.id = e.parent_execution_id " +
        "WHERE e.status = 'waiting' AND above.status NOT IN ('running', 'waiting') ORDER BY e.id",
    );
    return Promise.resolve(rows.map(({ id }) => id));
  }
}
