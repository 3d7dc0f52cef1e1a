// A store with one registered instance, and executions for it.
import { ExecutionLog } from "../../runtime/events/log.ts";
import { Redactor } from "../../runtime/secrets/redactor.ts";
import assert from "node:assert/strict";
import { createInfoFrame } from "../../runtime/executions/runs/acceptance.ts";
import type { NewExecution } from "../../runtime/executions/record/acceptance_store.ts";
import type { Execution } from "../../runtime/executions/execution.ts";
import type { Database } from "../../runtime/database/database.ts";
import { SqliteDatabase } from "../../runtime/storage/sqlite/sqlite_database.ts";
import {
  createExecutionStores,
  type SqlExecutionStores,
} from "../../runtime/storage/executions/execution_stores.ts";
import { SqlFrameStore } from "../../runtime/storage/frames.ts";
import { all, run, type SqlValue } from "../../runtime/database/operation.ts";
import { openTestDatabase } from "./test_database.ts";
import { openInstance } from "../../runtime/database/instances.ts";

/** An execution of the agent `tester` that a person started. */
export const NEW_EXECUTION: NewExecution = {
  agentId: "tester",
  displayName: "Tester",
  trigger: "manual",
  parentExecutionId: null,
  parentPosition: null,
  depth: 0,
  sessionId: null,
  request: { args: [] },
  model: "demo/echo",
  startedAt: 1_000,
};

/** All stores that a journal needs, over one database. */
export interface TestStore extends SqlExecutionStores, AsyncDisposable {
  db: Database;
  /** Returns the SQLite database. Throws an error on PostgreSQL. */
  sqlite(): SqliteDatabase;
  /** Runs an SQL statement of the test, in the dialect of the stores, and returns the number of changed rows. */
  run(sql: string, ...values: SqlValue[]): Promise<number>;
  all<Row>(sql: string, ...values: SqlValue[]): Promise<Row[]>;
  frames: SqlFrameStore;
  executionLog: ExecutionLog;
  redactor: Redactor;
  /** Adds an accepted execution with its first frame. */
  accept(overrides?: Partial<NewExecution>, key?: string): Promise<Execution>;
}

export async function openTestStore(
  options: { path?: string; db?: Database; instanceId?: string } = {},
): Promise<TestStore> {
  await using resources = new AsyncDisposableStack();
  const db = options.db ?? resources.use(
    options.path === undefined ? await openTestDatabase() : SqliteDatabase.open(options.path),
  );
  const instanceId = options.instanceId ?? "instance-1";
  await db.change("power", () => openInstance({ id: instanceId, pid: 1, startedAt: 0 }));
  const stores = createExecutionStores(db, instanceId);
  const frames = new SqlFrameStore(db);
  const redactor = new Redactor(() => []);
  const owned = resources.move();
  return {
    ...stores,
    db,
    sqlite() {
      if (!(db instanceof SqliteDatabase)) throw new TypeError("This test is for SQLite");
      return db;
    },
    run: (sql, ...values) => db.change("process", () => run(sql, ...values)),
    all: <Row>(sql: string, ...values: SqlValue[]) => db.read(() => all<Row>(sql, ...values)),
    frames,
    redactor,
    executionLog: new ExecutionLog(frames),
    async accept(overrides = {}, key) {
      const accepted = await stores.acceptances.acceptExecution({
        ...NEW_EXECUTION,
        ...overrides,
      }, {
        unlessWaiting: false,
        frames: (fresh) => [createInfoFrame(fresh, { redactor, at: 1_000 })],
        ...(key === undefined ? {} : { idempotencyKey: key }),
      });
      assert.ok("execution" in accepted);
      return accepted.execution;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
