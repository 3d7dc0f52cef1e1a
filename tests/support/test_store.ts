// An in-memory store with one instance, and executions to put into it.
import { ExecutionLog } from "../../runtime/events/log.ts";
import { Redactor } from "../../runtime/secrets/redactor.ts";
import assert from "node:assert/strict";
import { createInfoFrame } from "../../runtime/executions/runs/acceptance.ts";
import type { NewExecution } from "../../runtime/executions/record/acceptance_store.ts";
import type { Execution } from "../../runtime/executions/execution.ts";
import { SqliteDatabase } from "../../runtime/storage/sqlite/sqlite_database.ts";
import {
  createExecutionStores,
  type SqlExecutionStores,
} from "../../runtime/storage/executions/execution_stores.ts";
import { SqlFrameStore } from "../../runtime/storage/frames.ts";
import { openInstance } from "../../runtime/storage/instances.ts";

/** Everything a journal needs, over one in-memory database. */
export interface TestStore extends SqlExecutionStores, Disposable {
  db: SqliteDatabase;
  frames: SqlFrameStore;
  log: ExecutionLog;
  redactor: Redactor;
  /** Accepts an execution with its first frame. */
  accept(overrides?: Partial<NewExecution>, key?: string): Promise<Execution>;
}

export function openTestStore(
  options: { path?: string; instanceId?: string } = {},
): TestStore {
  const db = SqliteDatabase.open(options.path ?? ":memory:");
  const instanceId = options.instanceId ?? "instance-1";
  void db.change("power", () => openInstance({ id: instanceId, pid: 1, startedAt: 0 }));
  const stores = createExecutionStores(db, instanceId);
  const frames = new SqlFrameStore(db);
  const redactor = new Redactor(() => []);
  return {
    ...stores,
    db,
    frames,
    redactor,
    log: new ExecutionLog(frames),
    async accept(overrides = {}, key) {
      const accepted = await stores.acceptances.acceptExecution({
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
        ...overrides,
      }, {
        unlessWaiting: false,
        frames: (fresh) => [createInfoFrame(fresh, { redactor, at: 1_000 })],
        ...(key === undefined ? {} : { idempotencyKey: key }),
      });
      assert.ok("execution" in accepted);
      return accepted.execution;
    },
    [Symbol.dispose]: () => db[Symbol.dispose](),
  };
}
