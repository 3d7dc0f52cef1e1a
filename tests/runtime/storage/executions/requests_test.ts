import assert from "node:assert/strict";
import type { HumanRequest } from "../../../../runtime/executions/human_request.ts";
import { openTestStore, type TestStore } from "../../../support/test_store.ts";

function question(executionId: number, requestId: string): HumanRequest {
  return {
    executionId,
    requestId,
    kind: "input",
    position: 3,
    toolName: "ask_user",
    toolArgs: {},
    message: "Which?",
    createdAt: 1_000,
    expiresAt: null,
  } as HumanRequest;
}

function ask({ requests }: TestStore, executionId: number, requestId: string): Promise<unknown> {
  const request = question(executionId, requestId);
  return requests.openRequest(executionId, { request, durationMs: 0, frames: [] });
}

function answer({ requests }: TestStore, executionId: number, requestId: string, text: string) {
  return requests.answerRequest(executionId, {
    requestId,
    answer: { text },
    answeredAt: 2_000,
    frames: () => [],
  });
}

Deno.test("answerRequest() counts one answer: a second one changes nothing, also when another question is open by then", async () => {
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
