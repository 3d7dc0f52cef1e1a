import assert from "node:assert/strict";
import { openTestStore, type TestStore } from "../../../support/test_store.ts";
import { ask } from "../stored_situations.ts";

function answer({ requests }: TestStore, executionId: number, requestId: string, text: string) {
  return requests.answerRequest(executionId, {
    requestId,
    answer: { text },
    answeredAt: 2_000,
    frames: () => [],
  });
}

Deno.test("answerRequest() ignores a second answer, even if another question is open", async () => {
  await using store = await openTestStore();
  const { id } = await store.accept();
  const state = async () => (await store.executions.readExecution(id))?.execution.status;
  await ask(store, id, "first");
  assert.ok(await answer(store, id, "first", "Red."));
  assert.equal(await answer(store, id, "first", "Blue."), undefined);
  assert.equal(await state(), "running");
  await ask(store, id, "second");
  assert.equal(await answer(store, id, "first", "Green."), undefined);
  assert.equal(await state(), "waiting");
  const { answers } = await store.conversations.readConversation(id);
  assert.deepEqual([...answers.values()].flat().map(({ answer }) => answer), [{ text: "Red." }]);
});
