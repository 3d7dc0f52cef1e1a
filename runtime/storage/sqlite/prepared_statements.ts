// Keeps the prepared statements of a SQLite database, and counts the changes of its table of executions.
import type { DatabaseSync, StatementSync } from "node:sqlite";

interface Prepared {
  statement: StatementSync;
  /** True if the statement may change the table of executions. */
  changesExecutions: boolean;
}

/** The prepared statements of a database, by their SQL. */
export class PreparedStatements {
  readonly #db: DatabaseSync;
  readonly #prepared = new Map<string, Prepared>();
  #otherChanges: unknown;
  #version = 0;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** Returns the statement for one use. Prepares it if it is new. */
  take(sql: string): StatementSync {
    let prepared = this.#prepared.get(sql);
    if (prepared === undefined) {
      prepared = { statement: this.#db.prepare(sql), changesExecutions: mayChangeExecutions(sql) };
      this.#prepared.set(sql, prepared);
    }
    if (prepared.changesExecutions) this.#version++;
    return prepared.statement;
  }

  /** Returns a number that is different after each change of the table of executions. */
  executionsVersion(): number {
    // SQLite reports a new value after a commit of another connection, and not after own commits.
    const row = this.take("PRAGMA data_version").get() as { data_version: number };
    if (row.data_version !== this.#otherChanges) {
      this.#otherChanges = row.data_version;
      this.#version++;
    }
    return this.#version;
  }

  clear(): void {
    this.#prepared.clear();
  }
}

function mayChangeExecutions(sql: string): boolean {
  return /\bexecutions\b/i.test(sql) && /\b(INSERT|UPDATE|DELETE|REPLACE\s+INTO)\b/i.test(sql);
}
