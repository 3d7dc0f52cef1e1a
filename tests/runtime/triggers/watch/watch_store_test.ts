import assert from "node:assert/strict";
import { openTestDatabase } from "../../../support/test_database.ts";
import { SqlWatchStore } from "../../../../runtime/triggers/watch/watch_store.ts";
import type { QueuedChange } from "../../../../runtime/triggers/watch/watch_store.ts";

const change = (path: string, more: Partial<QueuedChange> = {}): QueuedChange => ({
  agentId: "a",
  path,
  event: "modified",
  queuedAt: 1,
  ...more,
});

Deno.test("SqlWatchStore.enqueue() queues changes, drops changes and stores file states in one transaction", async () => {
  await using db = await openTestDatabase();
  const store = new SqlWatchStore(db);
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
