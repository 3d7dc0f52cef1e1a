import assert from "node:assert/strict";
import { createFrame, type FrameContent } from "../../../../runtime/events/frame.ts";
import type { Execution } from "../../../../runtime/executions/execution.ts";
import { Journal } from "../../../../runtime/executions/record/journal.ts";
import { appendFrames } from "../../../../runtime/storage/frames.ts";
import { TestClock } from "../../../support/test_clock.ts";
import { openTestStore } from "../../../support/test_store.ts";

Deno.test("SqlRecoveryStore.findAbandoned() names only what another instance left running", async () => {
  const dir = await Deno.makeTempDir();
  try {
    const path = `${dir}/inkling.db`;
    let left: number;
    {
      await using store = await openTestStore({ path, instanceId: "one" });
      left = (await store.accept()).id;
      const ended = await store.accept();
      await new Journal(ended, { ...store, clock: new TestClock() })
        .finish({ status: "success", error: null, output: "x" });
      assert.deepEqual(await store.recovery.findAbandoned(), []);
    }
    await using store = await openTestStore({ path, instanceId: "two" });
    await store.accept();
    assert.deepEqual(await store.recovery.findAbandoned(), [left]);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("SqlRecoveryStore.findForsaken() names what waits below an ended execution, and nothing else", async () => {
  await using store = await openTestStore();
  const clock = new TestClock();
  const journalOf = (execution: Execution) => new Journal(execution, { ...store, clock });
  const below = (parent: Execution, position = 2) =>
    store.accept({
      trigger: "agent",
      parentExecutionId: parent.id,
      parentPosition: position,
      depth: 1,
    });
  const ask = async (execution: Execution) => {
    await journalOf(execution).ask({
      requestId: crypto.randomUUID(),
      position: 2,
      toolName: "ask_user",
      toolArgs: {},
      kind: "input",
      message: "Well?",
      options: null,
      multi: false,
      createdAt: clock.now(),
      expiresAt: null,
    });
    return execution.id;
  };
  const end = (execution: Execution, status: "success" | "aborted") =>
    journalOf(execution).finish({ status, error: null, output: null });
  // Nobody waits for what these ask.
  const ended = await store.accept();
  const forsaken = [await ask(await below(ended)), await ask(await below(ended, 3))];
  // One below that runs is nobody's to end here, and what has ended is over.
  await below(ended, 4);
  await end(await below(ended, 5), "success");
  await end(ended, "aborted");
  // Somebody waits for these.
  const running = await store.accept();
  await ask(await below(running));
  const waiting = await store.accept();
  await ask(await below(waiting));
  await ask(waiting);
  await ask(await store.accept());
  assert.deepEqual(await store.recovery.findForsaken(), forsaken);
});

Deno.test("SqlRecoveryStore.readUncountedMs() gives the time since the running time was last stored, as the log knows it", async () => {
  await using store = await openTestStore();
  const { id } = await store.accept({ startedAt: 1_000 });
  const uncounted = () => store.recovery.readUncountedMs(id);
  const append = (at: number, frame: Omit<FrameContent, "message">) => {
    const identity = { executionId: id, agentId: "tester", displayName: "Tester" };
    const content = { message: "", ...frame };
    const drafts = [createFrame(identity, content, { redactor: store.redactor, at })];
    return store.db.change("process", () => appendFrames(id, drafts));
  };
  assert.equal(await uncounted(), 0);
  await append(1_300, { event: "message", eventType: "human" });
  assert.equal(await uncounted(), 300);
  await append(9_000, { event: "meta", eventType: "stats" });
  assert.equal(await uncounted(), 0);
  await append(9_400, { event: "tool_result", eventType: "tool_result" });
  await append(9_500, { event: "meta", eventType: "meta" });
  assert.equal(await uncounted(), 500);
  // To wait for a person is not to run.
  await append(9_600, { event: "interrupt", eventType: "interrupt", fields: { request_id: "r" } });
  await append(90_000, { event: "tool_result", eventType: "tool_result" });
  assert.equal(await uncounted(), 0);
  await append(99_000, { event: "message", eventType: "human", fields: { request_id: "r" } });
  await append(99_050, { event: "tool_result", eventType: "tool_result" });
  assert.equal(await uncounted(), 50);
  // It was adopted by another instance, or its own one stopped in order and stored what had run.
  const [own] = await store.all<{ id: string; started_at: number }>(
    "SELECT i.id, i.started_at FROM instances i JOIN executions e ON e.instance_id = i.id WHERE e.id = ?",
    id,
  );
  assert.ok(own !== undefined);
  for (const change of ["started_at = 1001", "stopped_at = 99100"]) {
    await store.run(`UPDATE instances SET ${change} WHERE id = ?`, own.id);
    assert.equal(await uncounted(), 0, change);
    await store.run(
      "UPDATE instances SET started_at = ?, stopped_at = NULL WHERE id = ?",
      own.started_at,
      own.id,
    );
  }
  assert.equal(await uncounted(), 50);
  // A clock that was set back.
  await append(5_000, { event: "tool_result", eventType: "tool_result" });
  assert.equal(await uncounted(), 0);
});
