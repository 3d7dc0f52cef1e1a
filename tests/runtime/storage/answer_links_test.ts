import assert from "node:assert/strict";
import type { HumanAnswer } from "../../../runtime/executions/human_request.ts";
import { SqlAnswerLinkStore } from "../../../runtime/storage/answer_links.ts";
import { openTestStore } from "../../support/test_store.ts";
import { ask as openRequest } from "./stored_situations.ts";

Deno.test("SqlAnswerLinkStore.findLink() tells what became of the question, and of the link", async () => {
  await using store = await openTestStore();
  const links = new SqlAnswerLinkStore(store.db);
  const ask = async (requestId: string) => {
    const { id } = await store.accept();
    await openRequest(store, id, requestId);
    await links.addLink({ hash: `hash of ${requestId}`, requestId, expiresAt: 100 });
    return id;
  };
  const answer = (id: number, requestId: string, given: HumanAnswer) =>
    store.requests.answerRequest(id, { requestId, answer: given, answeredAt: 2, frames: () => [] });
  const state = async (requestId: string, now = 50) =>
    (await links.findLink(`hash of ${requestId}`, now))?.state;
  const answered = await ask("answered");
  const expired = await ask("expired");
  const ended = await ask("ended");
  assert.deepEqual(await links.findLink("hash of answered", 50), {
    requestId: "answered",
    executionId: answered,
    state: "open",
  });
  assert.equal(await state("answered", 100), "expired");
  await answer(answered, "answered", { text: "Red." });
  await answer(expired, "expired", { expired: true });
  await store.run("UPDATE requests SET answered_at = 3 WHERE execution_id = ?", ended);
  assert.deepEqual(
    [await state("answered"), await state("expired"), await state("ended"), await state("none")],
    ["answered", "expired", "ended", undefined],
  );
});
