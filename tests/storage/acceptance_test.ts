import assert from "node:assert/strict";
import type { Acceptance, Claim, NewExecution } from "../../runtime/executions/execution_store.ts";
import { SqliteWatchStore } from "../../runtime/storage/watches.ts";
import { openTestStore, type TestStore } from "../support/test_store.ts";

const WANTED: NewExecution = {
  agentId: "tester",
  displayName: "Tester",
  trigger: "schedule",
  parentExecutionId: null,
  parentPosition: null,
  depth: 0,
  sessionId: null,
  request: { args: [] },
  model: "demo/echo",
  startedAt: 60_000,
};
const SLOT: Claim = { type: "slot", scheduledFor: 60_000, reason: null };

function claim(
  { executions }: TestStore,
  wanted: Partial<NewExecution> = {},
  claim: Claim = SLOT,
): Promise<Acceptance> {
  return executions.acceptExecution({ ...WANTED, ...wanted }, {
    unlessWaiting: true,
    claim,
    frames: () => [],
  });
}

async function end({ executions }: TestStore, id: number): Promise<void> {
  await executions.finishExecution(id, {
    ...{ from: "running", status: "success", error: null, output: null },
    ...{ finishedAt: 61_000, durationMs: 1_000, frames: () => [] },
  });
}

Deno.test("acceptExecution() gives a slot to one run: whoever comes later is refused, and nothing is stored", async () => {
  using store = openTestStore();
  const first = await claim(store);
  assert.ok("execution" in first);
  // Also once the first has ended, and nothing else is in the way.
  await end(store, first.execution.id);
  assert.deepEqual(await claim(store), { refused: "claimed" });
  const rows = (table: string) => store.db.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`);
  assert.equal(rows("executions")?.n, 1);
  assert.equal(rows("slots")?.n, 1);
});

Deno.test("acceptExecution() gives the same slot to each agent", async () => {
  using store = openTestStore();
  assert.ok("execution" in await claim(store));
  assert.ok("execution" in await claim(store, { agentId: "another" }));
});

Deno.test("acceptExecution() takes a change out of the queue with the run that it starts, and starts none without it", async () => {
  using store = openTestStore();
  const watches = new SqliteWatchStore(store.db);
  const path = "/in/a.md";
  await watches.enqueue([{ agentId: "tester", path, event: "modified", queuedAt: 1 }], {
    dropped: [],
    seen: [],
  });
  const take = () => claim(store, { trigger: "watch" }, { type: "change", path });
  assert.ok("execution" in await take());
  assert.deepEqual(await watches.readQueue(), []);
  assert.deepEqual(await take(), { refused: "claimed" });
  assert.deepEqual(await claim(store, { agentId: "another" }, { type: "change", path }), {
    refused: "claimed",
  });
});
