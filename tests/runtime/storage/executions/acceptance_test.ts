import assert from "node:assert/strict";
import type { Acceptance } from "../../../../runtime/executions/record/acceptance_store.ts";
import type { NewExecution } from "../../../../runtime/executions/record/acceptance_store.ts";
import type { Claim } from "../../../../runtime/vocabulary/run_cause.ts";
import { LeaseLost, StorageUnavailable } from "../../../../runtime/database/database.ts";
import { createExecutionStores } from "../../../../runtime/storage/executions/execution_stores.ts";
import { openInstance } from "../../../../runtime/database/instances.ts";
import { PostgresDatabase } from "../../../../runtime/storage/postgres/postgres_database.ts";
import { pauseExecution } from "../../../../runtime/storage/executions/waiting.ts";
import { SqlWatchStore } from "../../../../runtime/triggers/watch/watch_store.ts";
import { onPostgres } from "../../../support/test_database.ts";
import { NEW_EXECUTION, openTestStore, type TestStore } from "../../../support/test_store.ts";
import { ending } from "../stored_situations.ts";

const WANTED: NewExecution = { ...NEW_EXECUTION, trigger: "schedule", startedAt: 60_000 };
const SLOT: Claim = { type: "slot", scheduledFor: 60_000, reason: null };

function claim(
  { acceptances }: TestStore,
  wanted: Partial<NewExecution> = {},
  claim: Claim = SLOT,
): Promise<Acceptance> {
  return acceptances.acceptExecution({ ...WANTED, ...wanted }, {
    unlessWaiting: true,
    claim,
    frames: () => [],
  });
}

Deno.test("acceptExecution() accepts only the first run for a due time", async () => {
  await using store = await openTestStore();
  const first = await claim(store);
  assert.ok("execution" in first);
  // The slot stays claimed after its run has ended.
  await store.endings.finishExecution(first.execution.id, ending("running"));
  assert.deepEqual(await claim(store), { refused: "claimed" });
  const rows = async (table: string) => (await store.all(`SELECT 1 FROM ${table}`)).length;
  assert.equal(await rows("executions"), 1);
  assert.equal(await rows("slots"), 1);
  // Another agent can claim the same due time.
  assert.ok("execution" in await claim(store, { agentId: "another" }));
});

Deno.test("acceptExecution() removes a queued change or follow-up together with starting its run", async () => {
  await using store = await openTestStore();
  const watches = new SqlWatchStore(store.db);
  const path = "/in/a.md";
  const change = { path, event: "modified", queuedAt: 1 } as const;
  await watches.enqueue("tester", [change], { dropped: [], seen: [] });
  const { id: executionId } = await store.accept({ agentId: "followed" });
  const end = { ...ending("running"), status: "success", error: null } as const;
  await store.endings.finishExecution(executionId, { ...end, followers: ["tester"] });
  const claims: [Claim, NewExecution["trigger"]][] = [
    [{ type: "change", path }, "watch"],
    [{ type: "end", executionId }, "after"],
  ];
  for (const [wanted, trigger] of claims) {
    assert.deepEqual(await claim(store, { agentId: "another", trigger }, wanted), {
      refused: "claimed",
    });
    assert.ok("execution" in await claim(store, { trigger }, wanted), trigger);
    assert.deepEqual(await claim(store, { trigger }, wanted), { refused: "claimed" }, trigger);
  }
  assert.deepEqual(await watches.readQueue("tester"), []);
  assert.deepEqual(await store.all("SELECT 1 FROM follow_ups"), []);
});

Deno.test("acceptExecution() returns the first execution for a repeated key for 24 hours", async () => {
  await using store = await openTestStore();
  const { id: kept } = await store.accept({}, "kept");
  assert.equal((await store.accept({ startedAt: 86_400_000 }, "kept")).id, kept);
  assert.notEqual((await store.accept({ startedAt: 86_402_000 }, "kept")).id, kept);
  const accept = (idempotencyKey: string) =>
    store.acceptances.acceptExecution({ ...NEW_EXECUTION, agentId: "other" }, {
      unlessWaiting: true,
      idempotencyKey,
      frames: () => [],
    });
  const first = await accept("key-1");
  assert.ok("execution" in first && first.isNew);
  const { id } = first.execution;
  await store.db.change("power", () => pauseExecution(id, { durationMs: 0, frames: [] }));
  const again = await accept("key-1");
  assert.ok("execution" in again && !again.isNew);
  assert.deepEqual([again.execution.id, again.execution.status], [id, "waiting"]);
  assert.deepEqual(await accept("key-2"), { refused: "waiting" });
});

Deno.test("acceptExecution() stores concurrent requests in one transaction", async () => {
  await using store = await openTestStore();
  let commits = 0;
  const change = store.db.change.bind(store.db);
  store.db.change = (durability, operation) => {
    commits++;
    return change(durability, operation);
  };
  const agents = ["a", "b", "a", "c"];
  const outcomes = await Promise.all(agents.map((agentId) => claim(store, { agentId })));
  assert.equal(commits, 1);
  const found = outcomes.map((one) => "refused" in one ? one.refused : one.execution.agentId);
  assert.deepEqual(found, ["a", "b", "claimed", "c"]);
});

Deno.test("acceptExecution() accepts the other concurrent requests if one fails", async () => {
  await using store = await openTestStore();
  const broken = store.acceptances.acceptExecution({ ...WANTED, agentId: "broken" }, {
    unlessWaiting: false,
    frames: () => {
      throw new TypeError("no frame");
    },
  });
  const outcomes = await Promise.allSettled([claim(store, { agentId: "a" }), broken, claim(store)]);
  assert.deepEqual(outcomes.map(({ status }) => status), ["fulfilled", "rejected", "fulfilled"]);
  const rows = await store.all<{ agent: string }>(
    "SELECT agent_id AS agent FROM executions ORDER BY agent_id",
  );
  assert.deepEqual(rows.map(({ agent }) => agent), ["a", "tester"]);
});

Deno.test("acceptExecution() does not repeat a transaction with an unknown outcome", async () => {
  await using store = await openTestStore();
  const change = store.db.change.bind(store.db);
  store.db.change = async (durability, operation) => {
    await change(durability, operation);
    throw new StorageUnavailable(
      "The connection broke off, and whether it is stored stays unknown.",
    );
  };
  const outcomes = await Promise.allSettled(["a", "b"].map((agentId) => store.accept({ agentId })));
  assert.deepEqual(outcomes.map(({ status }) => status), ["rejected", "rejected"]);
  const rows = await store.all<{ agent: string }>(
    "SELECT agent_id AS agent FROM executions ORDER BY agent_id",
  );
  assert.deepEqual(rows.map(({ agent }) => agent), ["a", "b"]);
});

onPostgres.test("acceptExecution() accepts no child of an execution that another machine has claimed", async () => {
  await using store = await openTestStore({ instanceId: "there" });
  const parent = await store.accept();
  const leases = new Map([[parent.id, 0]]);
  const enqueue = () => Promise.resolve();
  const node = { instanceId: "here", leases, enqueue, cancelled: () => {} };
  await using here = await PostgresDatabase.open({ address: store.db.place, node });
  await here.change("power", () => openInstance({ id: "here", pid: 2, startedAt: 0 }));
  const { acceptances } = createExecutionStores(here, "here");
  const accept = (parentPosition: number) =>
    acceptances.acceptExecution({
      ...WANTED,
      trigger: "agent",
      parentExecutionId: parent.id,
      parentPosition,
      depth: 1,
    }, { unlessWaiting: false, frames: () => [] });
  await store.run("UPDATE executions SET instance_id = 'here' WHERE id = ?", parent.id);
  assert.ok("execution" in await accept(1));
  await store.run("UPDATE executions SET instance_id = 'there' WHERE id = ?", parent.id);
  await assert.rejects(accept(2), LeaseLost);
  assert.equal((await store.all("SELECT 1 FROM executions")).length, 2);
});

Deno.test("acceptExecution() sets the start of an execution to the time of its transaction", async () => {
  await using store = await openTestStore();
  const accepted = await store.acceptances.acceptExecution(WANTED, {
    unlessWaiting: true,
    startsAt: () => WANTED.startedAt + 5_000,
    frames: () => [],
  });
  assert.ok("execution" in accepted);
  assert.equal(accepted.execution.startedAt, WANTED.startedAt + 5_000);
});
