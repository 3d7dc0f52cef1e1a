import assert from "node:assert/strict";
import { Journal } from "../../../../runtime/executions/record/journal.ts";
import { createExecutionStores } from "../../../../runtime/storage/executions/execution_stores.ts";
import { requestCancel } from "../../../../runtime/storage/postgres/claims.ts";
import { PostgresDatabase } from "../../../../runtime/storage/postgres/postgres_database.ts";
import { TestClock } from "../../../support/test_clock.ts";
import { onPostgres } from "../../../support/test_database.ts";
import { openTestStore } from "../../../support/test_store.ts";
import { storedFrames } from "../stored_frames.ts";

onPostgres.test("SqlEndingStore.finishExecution() stores a late cancel of another machine instead of a success", async () => {
  await using store = await openTestStore();
  const execution = await store.accept();
  const owner = "SELECT instance_id AS owner FROM executions";
  const { owner: instanceId } = (await store.all<{ owner: string }>(owner))[0]!;
  await using db = await PostgresDatabase.open({
    address: store.db.place,
    node: {
      instanceId,
      leases: new Map([[execution.id, 0]]),
      enqueue: () => Promise.resolve(),
      cancelled: () => {},
    },
  });
  const stores = createExecutionStores(db, instanceId);
  const journal = new Journal(execution, { ...store, ...stores, clock: new TestClock() });
  await db.change("power", () => requestCancel(execution.id, "Enough."));
  const ended = await journal.finish({ status: "success", error: null, output: "yes" });
  const { status, error } = ended!.execution;
  assert.deepEqual([status, error], ["aborted", "Enough."]);
  const stored = await store.executions.readExecution(execution.id);
  assert.deepEqual([stored?.execution.status, stored?.output], ["aborted", "yes"]);
  const complete = (await storedFrames(store, execution.id)).at(-1);
  assert.equal(complete?.payload.status, "aborted");
});
