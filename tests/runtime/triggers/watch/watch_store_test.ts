import assert from "node:assert/strict";
import { openTestDatabase } from "../../../support/test_database.ts";
import { openInstance } from "../../../../runtime/database/instances.ts";
import { openTestStore } from "../../../support/test_store.ts";
import { SqlWatchStore } from "../../../../runtime/triggers/watch/watch_store.ts";
import type { QueuedChange } from "../../../../runtime/triggers/watch/watch_store.ts";

const change = (path: string, more: Partial<QueuedChange> = {}): QueuedChange => ({
  path,
  event: "modified",
  queuedAt: 1,
  ...more,
});

Deno.test("SqlWatchStore.enqueue() queues changes, drops changes and stores file states in one transaction", async () => {
  await using db = await openTestDatabase();
  const store = new SqlWatchStore(db);
  await store.markSeen("a", []);
  const seen = [{ path: "/1", stamp: "x" }];
  await store.enqueue("a", [change("/1")], { dropped: [], seen });
  assert.deepEqual(await store.readSeen("a"), new Map([["/1", "x"]]));
  const broken = change("/2", { event: "no such event" as "created" });
  await assert.rejects(
    store.enqueue("a", [change("/3"), broken], {
      dropped: ["/1"],
      seen: [{ path: "/2", stamp: "y" }],
    }),
  );
  assert.deepEqual(await store.readSeen("a"), new Map([["/1", "x"]]));
  assert.deepEqual(await store.readQueue("a"), [change("/1")]);
  await store.enqueue("a", [change("/3")], { dropped: ["/1"], seen: [] });
  assert.deepEqual(await store.readQueue("a"), [change("/3")]);
});

Deno.test("SqlWatchStore.readOpenRuns() returns resting runs, also of an earlier service, as not running", async () => {
  await using stores = await openTestStore();
  const store = new SqlWatchStore(stores.db);
  const begin = async (path: string) => {
    const cause = { type: "watch" as const, event: "modified" as const, path };
    const request = { args: [], cause };
    return (await stores.accept({ agentId: "a", trigger: "watch", request })).id;
  };
  const [running, resting] = [await begin("/1"), await begin("/2")];
  const rest = { until: 9_000, since: 2_000, reason: "tomorrow" };
  await stores.endings.restExecution(resting, { durationMs: 0, frames: [], rest });
  const rested = { executionId: resting, path: "/2", isRunning: false };
  assert.deepEqual(await store.readOpenRuns("a"), [
    { executionId: running, path: "/1", isRunning: true },
    rested,
  ]);
  if (stores.db.kind === "postgres") return;
  await stores.db.change("power", () => openInstance({ id: "instance-2", pid: 2, startedAt: 1 }));
  assert.deepEqual(await store.readOpenRuns("a"), [rested]);
});
