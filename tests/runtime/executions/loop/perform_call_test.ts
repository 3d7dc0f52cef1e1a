import assert from "node:assert/strict";
import type { CallIntent } from "../../../../runtime/executions/record/conversation_store.ts";
import { Journal } from "../../../../runtime/executions/record/journal.ts";
import { performCall } from "../../../../runtime/executions/loop/perform_call.ts";
import { type Run, RunStopped } from "../../../../runtime/executions/loop/run.ts";
import { SqlConversationStore } from "../../../../runtime/storage/executions/conversations.ts";
import type { ActionTool } from "../../../../runtime/tools/definition/tool.ts";
import { createTestAgent } from "../../../support/test_agent.ts";
import { TestClock } from "../../../support/test_clock.ts";
import { openTestStore } from "../../../support/test_store.ts";

Deno.test("performCall() stores an unsafe call before it starts, and starts no call after a cancel", async () => {
  await using store = await openTestStore();
  const clock = new TestClock();
  const execution = await store.accept();
  const stop = new AbortController();
  const conversations = new class extends SqlConversationStore {
    override async startCall(executionId: number, call: CallIntent): Promise<void> {
      await super.startCall(executionId, call);
      stop.abort(new RunStopped("Cancelled by user"));
    }
  }(store.db);
  const journal = new Journal(execution, { ...store, conversations, clock });
  const toolCalls = [{ id: "1", name: "pay", arguments: "{}" }];
  await journal.reply({
    message: { role: "assistant", content: "", toolCalls },
    stop: "tool_calls",
    usage: null,
    reportedCostUsd: null,
  }, { position: 2, costUsd: null });
  let begun = 0;
  const tool: Partial<ActionTool> = { timeoutMs: 1_000, run: () => Promise.resolve(`${++begun}`) };
  const run: Partial<Run> = {
    ...{ execution, journal, clock, agent: createTestAgent(), signal: stop.signal },
  };
  const intent = async () => {
    const [planned] = (await conversations.readConversation(execution.id)).calls;
    return planned ?? assert.fail("no call is planned");
  };
  const planned = await intent();
  assert.deepEqual([planned.startedAt, planned.effect], [null, null]);
  const payment = performCall(run as Run, planned, {
    tool: tool as ActionTool,
    args: {},
    effect: "unsafe",
    answers: [],
  });
  await assert.rejects(payment, RunStopped);
  assert.equal(begun, 0);
  const { startedAt, effect } = await intent();
  assert.deepEqual([startedAt, effect], [clock.now(), "unsafe"]);
});
