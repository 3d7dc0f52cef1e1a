import assert from "node:assert/strict";
import { createInfoFrame } from "../../../runtime/executions/runs/acceptance.ts";
import { SqlFollowUpStore } from "../../../runtime/storage/follow_ups.ts";
import { openTestStore } from "../../support/test_store.ts";

Deno.test("SqlFollowUpStore lists ends in their order, and an execution takes one once", async () => {
  await using store = await openTestStore();
  const followUps = new SqlFollowUpStore(store.db);
  for (const output of ["first", "second"]) {
    const { id } = await store.accept();
    await store.endings.finishExecution(id, {
      from: "running",
      status: "success",
      error: null,
      output,
      finishedAt: 2_000,
      durationMs: 1_000,
      followers: ["b", "a"],
      frames: () => [],
    });
  }
  const listed = await followUps.listFollowUps();
  assert.deepEqual(
    listed.map(({ follower, output, depth }) => [follower, output, depth]),
    [["a", "first", 0], ["b", "first", 0], ["a", "second", 0], ["b", "second", 0]],
  );
  const take = () =>
    store.acceptances.acceptExecution({
      agentId: "a",
      displayName: "a",
      trigger: "after",
      parentExecutionId: null,
      parentPosition: null,
      depth: 0,
      sessionId: null,
      request: { args: [] },
      model: "demo/echo",
      startedAt: 3_000,
    }, {
      unlessWaiting: false,
      claim: { type: "end", executionId: 1 },
      frames: (fresh) => [createInfoFrame(fresh, { redactor: store.redactor, at: 3_000 })],
    });
  assert.ok("execution" in await take());
  assert.deepEqual(await take(), { refused: "claimed" });
  await followUps.dropFollowUp({ follower: "b", executionId: 2 });
  assert.deepEqual(
    (await followUps.listFollowUps()).map(({ follower, executionId }) => [follower, executionId]),
    [["b", 1], ["a", 2]],
  );
});
