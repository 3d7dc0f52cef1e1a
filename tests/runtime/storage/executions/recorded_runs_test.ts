// Tests a run that continues while it is read: its log must cover the whole conversation.
import assert from "node:assert/strict";
import { Journal } from "../../../../runtime/executions/record/journal.ts";
import { findForkPoint } from "../../../../runtime/replay/fork_point.ts";
import { SqlRecordedRunStore } from "../../../../runtime/storage/executions/recorded_runs.ts";
import { TestClock } from "../../../support/test_clock.ts";
import { onPostgres } from "../../../support/test_database.ts";
import { openTestStore } from "../../../support/test_store.ts";
import { interrupt } from "../between_statements.ts";
import { FRAME } from "../stored_situations.ts";

const CALL = { id: "c", name: "file_read", arguments: "{}" };
const REPLY = {
  message: { role: "assistant" as const, content: "", toolCalls: [CALL] },
  stop: "tool_calls" as const,
  usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
  reportedCostUsd: null,
};

onPostgres.test("readRecordedRun() of a running run returns a log that covers every returned step", async () => {
  await using store = await openTestStore();
  for (let after = 0;; after++) {
    const execution = await store.accept();
    const { id } = execution;
    const messages = [
      { position: 0, message: { role: "system", content: "Prompt" } as const, seeded: false },
      { position: 1, message: { role: "user", content: "Go" } as const, seeded: false },
    ];
    await store.conversations.beginConversation(id, { messages, frames: [FRAME] });
    const journal = new Journal(execution, { ...store, clock: new TestClock() });
    const step = async (position: number) => {
      await journal.reply(REPLY, { position, costUsd: null });
      const { name, arguments: args } = CALL;
      await journal.finishCall(
        { position: position + 1, toolCallId: "c", name, arguments: args },
        { content: "ok", isError: false, durationMs: 1, effect: "read" },
      );
    };
    await step(2);
    const outcome = await interrupt(store.db, {
      begin: (db) => new SqlRecordedRunStore(db).readRecordedRun(id),
      after,
      meanwhile: () => step(4),
    });
    if (outcome === undefined) break;
    const run = outcome.returned;
    assert.ok(run !== undefined);
    const point = findForkPoint(run, { message: "And?" });
    const told = point.frames.filter(({ event }) => event === "tool_result");
    assert.equal(told.length, point.step, `after ${after}`);
  }
});
