import assert from "node:assert/strict";
import { createFrame, type FrameContent } from "../../../../runtime/events/frame.ts";
import { appendFrames } from "../../../../runtime/storage/frames.ts";
import { openTestStore } from "../../../support/test_store.ts";

Deno.test("SqlRecoveryStore.readUncountedMs() returns the logged time since the running time was last stored", async () => {
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
  // The wait for a person does not count as running time.
  await append(9_600, { event: "interrupt", eventType: "interrupt", fields: { request_id: "r" } });
  await append(90_000, { event: "tool_result", eventType: "tool_result" });
  assert.equal(await uncounted(), 0);
  await append(99_000, { event: "message", eventType: "human", fields: { request_id: "r" } });
  await append(99_050, { event: "tool_result", eventType: "tool_result" });
  assert.equal(await uncounted(), 50);
  // No time is added if another instance adopted the execution, or if its own instance stopped regularly.
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
  // The clock was set back.
  await append(5_000, { event: "tool_result", eventType: "tool_result" });
  assert.equal(await uncounted(), 0);
});
