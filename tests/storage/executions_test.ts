import assert from "node:assert/strict";
import type { Execution } from "../../runtime/executions/execution.ts";
import { Journal } from "../../runtime/executions/journal.ts";
import type { FrameDraft } from "../../runtime/events/frame.ts";
import { TestClock } from "../support/test_clock.ts";
import { openTestStore, type TestStore } from "../support/test_store.ts";

function journalOf(
  store: TestStore,
  execution: Execution,
  clock: TestClock,
): Journal {
  return new Journal(execution, { ...store, store: store.executions, clock });
}

async function framesOf(store: TestStore, id: number) {
  const frames = await store.frames.readFrames(id, {
    after: 0,
    limit: -1,
    maxBytes: Infinity,
  });
  return frames.map((frame) => ({
    ...frame,
    payload: JSON.parse(frame.payload),
  }));
}

const REPLY = {
  message: {
    role: "assistant" as const,
    content: "",
    toolCalls: ["a", "b", "c"].map((id) => ({
      id,
      name: `tool_${id}`,
      arguments: "{}",
    })),
  },
  stop: "tool_calls" as const,
  usage: {
    inputTokens: 10,
    outputTokens: 5,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
  },
  reportedCostUsd: null,
};

Deno.test("ExecutionStore.acceptExecution() stores execution and first frame together", async () => {
  using store = openTestStore();
  const execution = await store.accept({
    request: { args: ["x"], message: "hi" },
  });
  assert.equal(execution.status, "running");
  assert.deepEqual(execution.args, ["x"]);
  const frames = await framesOf(store, execution.id);
  assert.equal(frames.length, 1);
  assert.equal(frames[0]?.payload.event_type, "execution_info");
  assert.equal(frames[0]?.payload.execution_id, execution.id);
});

Deno.test("ExecutionStore.acceptExecution() leaves nothing behind when its frame cannot be made", async () => {
  using store = openTestStore();
  await assert.rejects(
    store.executions.acceptExecution({
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

Deno.test("ExecutionStore.acceptExecution() gives the first execution for a repeated key, for 24 hours", async () => {
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

Deno.test("ExecutionStore.finishCall() logs results in the order of the calls, whatever order they come in", async () => {
  using store = openTestStore();
  const clock = new TestClock();
  const execution = await store.accept();
  const journal = journalOf(store, execution, clock);
  const figures = await journal.reply(REPLY, { position: 0, costUsd: 0.5 });
  assert.equal(figures.toolCalls, 3);
  assert.equal(figures.totalTokens, 15);
  assert.equal(figures.costUsd, 0.5);
  const call = (position: number, id: string) => ({
    position,
    toolCallId: id,
    name: `tool_${id}`,
    arguments: "{}",
  });
  const result = {
    content: "ok",
    isError: false,
    durationMs: 3,
    effect: "read" as const,
  };
  const results = async () =>
    (await framesOf(store, execution.id))
      .filter(({ event }) => event === "tool_result").map(({ payload }) => payload.tool_call_id);
  await journal.finishCall(call(3, "c"), result);
  assert.deepEqual(await results(), []);
  await journal.finishCall(call(1, "a"), result);
  assert.deepEqual(await results(), ["a"]);
  await journal.finishCall(call(2, "b"), result);
  assert.deepEqual(await results(), ["a", "b", "c"]);
  const stored = await store.executions.readConversation(execution.id);
  assert.deepEqual(
    stored.messages.map(({ position, message }) => [position, message.role]),
    [
      [0, "assistant"],
      [1, "tool"],
      [2, "tool"],
      [3, "tool"],
    ],
  );
  assert.ok(stored.calls.every(({ logged }) => logged));
});

Deno.test("ExecutionStore.finishExecution() ends an execution once: one complete, the last frame", async () => {
  using store = openTestStore();
  const clock = new TestClock();
  const execution = await store.accept();
  const journal = journalOf(store, execution, clock);
  await clock.advance(1_500);
  const ended = await journal.finish({ status: "success", error: null, output: "yes" });
  assert.equal(ended?.execution.status, "success");
  assert.equal(
    await journal.finish({ status: "aborted", error: "late", output: null }),
    undefined,
  );
  const stored = await store.executions.readExecution(execution.id);
  assert.equal(stored?.execution.status, "success");
  assert.equal(stored?.execution.durationMs, 1_500);
  assert.equal(stored?.output, "yes");
  const frames = await framesOf(store, execution.id);
  assert.deepEqual(frames.map(({ event }) => event), [
    "meta",
    "final_answer",
    "complete",
  ]);
  assert.equal(frames[2]?.payload.duration_ms, 1_500);
});

Deno.test("ExecutionStore counts usage only where it was reported, and cost only where it is known", async () => {
  using store = openTestStore();
  const execution = await store.accept();
  const journal = journalOf(store, execution, new TestClock());
  const silent = await journal.reply({ ...REPLY, usage: null }, {
    position: 0,
    costUsd: null,
  });
  assert.equal(silent.totalTokens, null);
  assert.equal(silent.costUsd, null);
});

Deno.test("ExecutionStore.findAbandoned() names only what another instance left running", async () => {
  const dir = await Deno.makeTempDir();
  try {
    const path = `${dir}/inkling.db`;
    let left: number;
    {
      using store = openTestStore({ path, instanceId: "one" });
      left = (await store.accept()).id;
      const ended = await store.accept();
      await journalOf(store, ended, new TestClock())
        .finish({ status: "success", error: null, output: "x" });
      assert.deepEqual(await store.executions.findAbandoned(), []);
    }
    using store = openTestStore({ path, instanceId: "two" });
    await store.accept();
    assert.deepEqual(await store.executions.findAbandoned(), [left]);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("ExecutionStore.listExecutions() filters by status and agent, newest first, in pages", async () => {
  using store = openTestStore();
  const ids: number[] = [];
  for (let n = 0; n < 6; n++) {
    const execution = await store.accept({ agentId: n % 2 ? "odd" : "even" });
    ids.push(execution.id);
    if (n > 3) {
      await journalOf(store, execution, new TestClock())
        .finish({ status: "error", error: "x", output: null });
    }
  }
  const list = async (filter: object) =>
    (await store.executions.listExecutions({ limit: 10, offset: 0, ...filter }))
      .map(({ id }) => id);
  assert.deepEqual(await list({}), ids.toReversed());
  assert.deepEqual(await list({ agentId: "odd" }), [ids[5], ids[3], ids[1]]);
  assert.deepEqual(await list({ statuses: ["error"] }), [ids[5], ids[4]]);
  assert.deepEqual(
    await list({ statuses: ["error", "running"], agentId: "even", limit: 2 }),
    [
      ids[4],
      ids[2],
    ],
  );
  assert.deepEqual(await list({ offset: 4 }), [ids[1], ids[0]]);
  assert.equal(await store.executions.countByStatus(["running"]), 4);
});

Deno.test("ExecutionStore.listExecutions() takes a status that is named without end as named once", async () => {
  using store = openTestStore();
  const { id } = await store.accept();
  const statuses = Array<"running">(40_000).fill("running");
  const found = await store.executions.listExecutions({ statuses, limit: 10, offset: 0 });
  assert.deepEqual(found.map((one) => one.id), [id]);
});
