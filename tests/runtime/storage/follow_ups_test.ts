import assert from "node:assert/strict";
import { SqlFollowUpStore } from "../../../runtime/storage/follow_ups.ts";
import { openTestStore } from "../../support/test_store.ts";
import { ending, NEW_EXECUTION } from "./stored_situations.ts";

Deno.test("SqlFollowUpStore lists ends in their order, and an execution takes one once", async () => {
  await using store = await openTestStore();
  const followUps = new SqlFollowUpStore(store.db);
  for (const output of ["first", "second"]) {
    const { id } = await store.accept();
    await store.endings.finishExecution(id, {
      ...ending("running"),
      status: "success",
      error: null,
      output,
      followers: ["b", "a"],
    });
  }
  const listed = await followUps.listFollowUps();
  assert.deepEqual(
    listed.map(({ follower, output, depth }) => [follower, output, depth]),
    [["a", "first", 0], ["b", "first", 0], ["a", "second", 0], ["b", "second", 0]],
  );
  const take = () =>
    store.acceptances.acceptExecution({ ...NEW_EXECUTION, agentId: "a", trigger: "after" }, {
      unlessWaiting: false,
      claim: { type: "end", executionId: 1 },
      frames: () => [],
    });
  assert.ok("execution" in await take());
  assert.deepEqual(await take(), { refused: "claimed" });
  await followUps.dropFollowUp({ follower: "b", executionId: 2 });
  assert.deepEqual(
    (await followUps.listFollowUps()).map(({ follower, executionId }) => [follower, executionId]),
    [["b", 1], ["a", 2]],
  );
});
