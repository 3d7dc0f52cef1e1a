import assert from "node:assert/strict";
import { IS_POSTGRES, openTestDatabase } from "../../support/test_database.ts";
import { SqlWatchStore } from "../../../runtime/storage/watches.ts";
import type { QueuedChange } from "../../../runtime/triggers/watch/watch_store.ts";
import { openTestStore } from "../../support/test_store.ts";

const change = (path: string, more: Partial<QueuedChange> = {}): QueuedChange => ({
  agentId: "a",
  path,
  event: "modified",
  queuedAt: 1,
  ...more,
});

async function open() {
  const resources = new AsyncDisposableStack();
  const db = resources.use(await openTestDatabase());
  const store = new SqlWatchStore(db);
  return {
    db,
    store,
    enqueue: (changes: QueuedChange[]) => store.enqueue(changes, { dropped: [], seen: [] }),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

Deno.test("SqlWatchStore.enqueue() drops and marks with the change, or does nothing of it", async () => {
  await using world = await open();
  const { store } = world;
  await store.markSeen("a", []);
  const seen = [{ agentId: "a", path: "/1", stamp: "x" }];
  await store.enqueue([change("/1")], { dropped: [], seen });
  assert.deepEqual(await store.readSeen("a"), new Map([["/1", "x"]]));
  const broken = change("/2", { event: "no such event" as "created" });
  await assert.rejects(
    store.enqueue([change("/3"), broken], {
      dropped: [{ agentId: "a", path: "/1" }],
      seen: [{ agentId: "a", path: "/2", stamp: "y" }],
    }),
  );
  assert.deepEqual(await store.readSeen("a"), new Map([["/1", "x"]]));
  assert.deepEqual(await store.readQueue("a"), [change("/1")]);
  await store.enqueue([change("/3")], { dropped: [{ agentId: "a", path: "/1" }], seen: [] });
  assert.deepEqual(await store.readQueue("a"), [change("/3")]);
});

Deno.test("SqlWatchStore.readOpenRuns() tells the runs of an agent's changes that have not ended", async () => {
  await using store = await openTestStore();
  const accept = async (agentId: string, path: string) => {
    const cause = { type: "watch", event: "created", path } as const;
    return (await store.accept({ agentId, trigger: "watch", request: { args: [], cause } })).id;
  };
  const ids = [];
  for (const path of ["/1", "/2", "/3"]) ids.push(await accept("a", path));
  await store.accept({ agentId: "a" });
  await accept("b", "/4");
  // Left behind by an instance that died.
  const orphan = await accept("a", "/5");
  await store.run("INSERT INTO instances (id, pid, started_at) VALUES ('instance-2', 2, 2)");
  const move = "UPDATE executions SET instance_id = 'instance-2' WHERE id <> ?";
  await store.run(move, orphan);
  const [first, second, third] = ids;
  await store.run("UPDATE executions SET status = 'waiting' WHERE id = ?", second ?? 0);
  await store.run("UPDATE executions SET status = 'success' WHERE id = ?", third ?? 0);
  assert.deepEqual(await new SqlWatchStore(store.db).readOpenRuns("a"), [
    { executionId: first, path: "/1", isRunning: true },
    { executionId: second, path: "/2", isRunning: false },
    // With several machines another one takes it up.
    ...(IS_POSTGRES ? [{ executionId: orphan, path: "/5", isRunning: true }] : []),
  ]);
});
