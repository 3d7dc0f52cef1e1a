import assert from "node:assert/strict";
import { Journal } from "../../runtime/executions/journal.ts";
import { performCall } from "../../runtime/executions/perform_call.ts";
import type { Run } from "../../runtime/executions/run.ts";
import type { ActionTool } from "../../runtime/tools/tool.ts";
import { createTestAgent } from "../support/test_agent.ts";
import { TestClock } from "../support/test_clock.ts";
import { openTestStore } from "../support/test_store.ts";

Deno.test("performCall() has the intent of an unsafe call on disk before the tool begins", async () => {
  using store = openTestStore();
  const clock = new TestClock();
  const execution = await store.accept();
  const journal = new Journal(execution, { ...store, clock });
  await journal.reply({
    message: {
      role: "assistant",
      content: "",
      toolCalls: [{ id: "1", name: "pay", arguments: "{}" }],
    },
    stop: "tool_calls",
    usage: null,
    reportedCostUsd: null,
  }, { position: 2, costUsd: null });
  const stored = async () => (await store.conversations.readConversation(execution.id)).calls[0];
  let seen: Awaited<ReturnType<typeof stored>>;
  const tool: Partial<ActionTool> = {
    timeoutMs: 1_000,
    async run() {
      seen = await stored();
      return "Paid.";
    },
  };
  const run: Partial<Run> = {
    execution,
    journal,
    clock,
    agent: createTestAgent(),
    signal: new AbortController().signal,
  };
  const planned = await stored();
  assert.ok(planned);
  assert.deepEqual([planned.startedAt, planned.effect], [null, null]);
  await performCall(run as Run, planned, {
    tool: tool as ActionTool,
    args: {},
    effect: "unsafe",
    answers: [],
  });
  assert.deepEqual([seen?.startedAt, seen?.effect], [clock.now(), "unsafe"]);
});
