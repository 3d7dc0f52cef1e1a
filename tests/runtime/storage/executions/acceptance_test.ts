import assert from "node:assert/strict";
import type { FrameDraft } from "../../../../runtime/events/frame.ts";
import type {
  Acceptance,
  Claim,
  NewExecution,
} from "../../../../runtime/executions/record/acceptance_store.ts";
import { pauseExecution } from "../../../../runtime/storage/executions/waiting.ts";
import { SqlWatchStore } from "../../../../runtime/storage/watches.ts";
import { openTestStore, type TestStore } from "../../../support/test_store.ts";
import { storedFrames } from "../stored_frames.ts";

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

async function end({ endings }: TestStore, id: number): Promise<void> {
  await endings.finishExecution(id, {
    from: "running",
    status: "success",
    error: null,
    output: null,
    finishedAt: 61_000,
    durationMs: 1_000,
    frames: () => [],
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
  const watches = new SqlWatchStore(store.db);
  const path = "/in/a.md";
  await watches.enqueue([{ agentId: "tester", path, event: "modified", queuedAt: 1 }], {
    dropped: [],
    seen: [],
  });
  const take = () => claim(store, { trigger: "watch" }, { type: "change", path });
  assert.ok("execution" in await take());
  assert.deepEqual(await watches.readQueue("tester"), []);
  assert.deepEqual(await take(), { refused: "claimed" });
  assert.deepEqual(await claim(store, { agentId: "another" }, { type: "change", path }), {
    refused: "claimed",
  });
});

Deno.test("SqlAcceptanceStore.acceptExecution() stores execution and first frame together", async () => {
  using store = openTestStore();
  const execution = await store.accept({
    request: { args: ["x"], message: "hi" },
  });
  assert.equal(execution.status, "running");
  assert.deepEqual(execution.args, ["x"]);
  const frames = await storedFrames(store, execution.id);
  assert.equal(frames.length, 1);
  assert.equal(frames[0]?.payload.event_type, "execution_info");
  assert.equal(frames[0]?.payload.execution_id, execution.id);
});

Deno.test("SqlAcceptanceStore.acceptExecution() leaves nothing behind when its frame cannot be made", async () => {
  using store = openTestStore();
  await assert.rejects(
    store.acceptances.acceptExecution({
      agentId: "a",
      displayName: "a",
      trigger: "manual",
      parentExecutionId: null,
      parentPosition: null,
      depth: 0,
      sessionId: null,
      request: { args: [] },
      model: "",
      startedAt: 0,
    }, {
      unlessWaiting: false,
      frames: (): FrameDraft[] => {
        throw new Error("no frame");
      },
    }),
    /no frame/,
  );
  assert.deepEqual(
    await store.executions.listExecutions({ limit: 10, offset: 0 }),
    [],
  );
});

Deno.test("SqlAcceptanceStore.acceptExecution() gives the first execution for a repeated key, for 24 hours", async () => {
  using store = openTestStore();
  const first = await store.accept({}, "key-1");
  assert.equal(
    (await store.accept({ startedAt: 86_400_000 }, "key-1")).id,
    first.id,
  );
  assert.notEqual(
    (await store.accept({ startedAt: 86_402_000 }, "key-1")).id,
    first.id,
  );
  assert.notEqual((await store.accept({}, "key-2")).id, first.id);
});

Deno.test("acceptExecution() gives the first execution for a repeated key also while that one waits and holds its conversation", async () => {
  using store = openTestStore();
  const accept = (idempotencyKey: string) =>
    store.acceptances.acceptExecution({ ...WANTED, trigger: "manual" }, {
      unlessWaiting: true,
      idempotencyKey,
      frames: () => [],
    });
  const first = await accept("key-1");
  assert.ok("execution" in first && first.isNew);
  const { id } = first.execution;
  store.db.perform(pauseExecution(id, { durationMs: 0, frames: [] }));
  const again = await accept("key-1");
  assert.ok("execution" in again && !again.isNew);
  assert.deepEqual([again.execution.id, again.execution.status], [id, "waiting"]);
  assert.deepEqual(await accept("key-2"), { refused: "waiting" });
});

Deno.test("acceptExecution() stores what is asked for at the same moment together, each with its own outcome", async () => {
  using store = openTestStore();
  let commits = 0;
  const { transaction } = store.db;
  store.db.transaction = (durability, body) => {
    commits++;
    return transaction.call(store.db, durability, body) as ReturnType<typeof body>;
  };
  const agents = ["a", "b", "a", "c"];
  const outcomes = await Promise.all(agents.map((agentId) => claim(store, { agentId })));
  assert.equal(commits, 1);
  assert.deepEqual(
    outcomes.map((one) => "refused" in one ? one.refused : one.execution.agentId),
    ["a", "b", "claimed", "c"],
  );
});

Deno.test("acceptExecution() accepts the others where one of those asked for at the same moment fails", async () => {
  using store = openTestStore();
  const broken = store.acceptances.acceptExecution({ ...WANTED, agentId: "broken" }, {
    unlessWaiting: false,
    frames: () => {
      throw new TypeError("no frame");
    },
  });
  const outcomes = await Promise.allSettled([claim(store, { agentId: "a" }), broken, claim(store)]);
  assert.deepEqual(outcomes.map(({ status }) => status), ["fulfilled", "rejected", "fulfilled"]);
  const rows = store.db.all<{ agent: string }>(
    "SELECT agent_id AS agent FROM executions ORDER BY id",
  );
  assert.deepEqual(rows.map(({ agent }) => agent), ["a", "tester"]);
});
