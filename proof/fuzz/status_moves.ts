// Records every change of an execution's status, even the shortest, with SQL triggers.
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import type { ExecutionStatus } from "../../runtime/executions/states.ts";

/** A change of an execution's status. `from` is null when the execution is inserted. */
export interface Move {
  id: number;
  from: ExecutionStatus | null;
  to: ExecutionStatus;
}

/** The statuses to which each status may change. A new execution is running. */
const LEGAL: Readonly<Record<ExecutionStatus, readonly ExecutionStatus[]>> = {
  running: ["waiting", "success", "error", "aborted", "timeout", "orphaned"],
  waiting: ["running", "aborted"],
  success: [],
  error: [],
  aborted: [],
  timeout: [],
  orphaned: [],
};

/** Records the status changes in a database, by any writer. */
export class StatusMoves implements Disposable {
  readonly #db: DatabaseSync;
  readonly #at = new Map<number, ExecutionStatus>();
  #seen = 0;

  /** `path` is a database in which the tables exist already. */
  constructor(path: string) {
    this.#db = new DatabaseSync(path, { timeout: 5_000 });
    this.#db.exec(`
      CREATE TABLE moves (id INTEGER, was TEXT, now TEXT);
      CREATE TRIGGER beginning AFTER INSERT ON executions
        BEGIN INSERT INTO moves VALUES (NEW.id, NULL, NEW.status); END;
      CREATE TRIGGER move AFTER UPDATE OF status ON executions WHEN NEW.status <> OLD.status
        BEGIN INSERT INTO moves VALUES (NEW.id, OLD.status, NEW.status); END;
    `);
  }

  /** Returns the moves since the last call, in their order. Throws if one of them is illegal. */
  check(): Move[] {
    const moves = this.#db.prepare(
      'SELECT id, was AS "from", now AS "to" FROM moves ORDER BY rowid LIMIT -1 OFFSET ?',
    ).all(this.#seen) as unknown as Move[];
    for (const { id, from, to } of moves) {
      const isLegal = from === null ? to === "running" : LEGAL[from].includes(to);
      assert.ok(isLegal, `${id}: ${from} -> ${to}`);
      assert.equal(this.#at.get(id) ?? null, from, `${id} made a move that nobody saw`);
      this.#at.set(id, to);
    }
    this.#seen += moves.length;
    return moves;
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }
}
