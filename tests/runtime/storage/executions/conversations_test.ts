import assert from "node:assert/strict";
import { Journal } from "../../../../runtime/executions/record/journal.ts";
import { TestClock } from "../../../support/test_clock.ts";
import { openTestStore } from "../../../support/test_store.ts";
import { storedFrames } from "../stored_frames.ts";

const REPLY = {
  message: {
    role: "assistant" as const,
    content: "",
    toolCalls: ["a", "b", "c"].map((id) => ({ id, name: `tool_${id}`, arguments: "{}" })),
  },
  stop: "tool_calls" as const,
  usage: { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0 },
  reportedCostUsd: null,
};

Deno.test("SqlConversationStore.finishCall() logs results in the order of the calls, whatever order they come in", async () => {
  await using store = await openTestStore();
  const clock = new TestClock();
  const execution = await store.accept();
  const journal = new Journal(execution, { ...store, clock });
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
  const result = { content: "ok", isError: false, durationMs: 3, effect: "read" as const };
  const results = async () =>
    (await storedFrames(store, execution.id))
      .filter(({ event }) => event === "tool_result").map(({ payload }) => payload.tool_call_id);
  await journal.finishCall(call(3, "c"), result);
  assert.deepEqual(await results(), []);
  await journal.finishCall(call(1, "a"), result);
  assert.deepEqual(await results(), ["a"]);
  await journal.finishCall(call(2, "b"), result);
  assert.deepEqual(await results(), ["a", "b", "c"]);
  const stored = await store.conversations.readConversation(execution.id);
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

  // Usage counts where it was reported, and cost where it is known.
  const another = await store.accept();
  const silent = await new Journal(another, { ...store, clock })
    .reply({ ...REPLY, usage: null }, { position: 0, costUsd: null });
  assert.deepEqual([silent.totalTokens, silent.costUsd], [null, null]);
});
