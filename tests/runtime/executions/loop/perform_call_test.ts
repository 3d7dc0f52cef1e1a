import assert from "node:assert/strict";
import type {
  CallIntent,
  ConversationStore,
} from "../../../../runtime/executions/record/conversation_store.ts";
import { Journal } from "../../../../runtime/executions/record/journal.ts";
import { performCall } from "../../../../runtime/executions/loop/perform_call.ts";
import { type Run, RunStopped } from "../../../../runtime/executions/runs/run.ts";
import { SqlConversationStore } from "../../../../runtime/storage/executions/conversations.ts";
import type { ActionTool } from "../../../../runtime/tools/tool.ts";
import { createTestAgent } from "../../../support/test_agent.ts";
import { TestClock } from "../../../support/test_clock.ts";
import { openTestStore, type TestStore } from "../../../support/test_store.ts";

/** Performs the only call of a reply, an unsafe one, with a tool that does `pay`. */
async function performPayment(
  { store, conversations = store.conversations, signal = new AbortController().signal, pay }: {
    store: TestStore;
    conversations?: ConversationStore;
    signal?: AbortSignal;
    pay: (executionId: number) => Promise<void>;
  },
): Promise<void> {
  const clock = new TestClock();
  const execution = await store.accept();
  const journal = new Journal(execution, { ...store, conversations, clock });
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
  const tool: Partial<ActionTool> = {
    timeoutMs: 1_000,
    async run() {
      await pay(execution.id);
      return "Paid.";
    },
  };
  const run: Partial<Run> = { execution, journal, clock, agent: createTestAgent(), signal };
  const [planned] = (await conversations.readConversation(execution.id)).calls;
  assert.ok(planned);
  assert.deepEqual([planned.startedAt, planned.effect], [null, null]);
  await performCall(run as Run, planned, {
    tool: tool as ActionTool,
    args: {},
    effect: "unsafe",
    answers: [],
  });
}

Deno.test("performCall() has the intent of an unsafe call on disk before the tool begins", async () => {
  await using store = await openTestStore();
  const seen: unknown[] = [];
  await performPayment({
    store,
    async pay(id) {
      const [call] = (await store.conversations.readConversation(id)).calls;
      seen.push(call?.startedAt, call?.effect);
    },
  });
  assert.deepEqual(seen, [new TestClock().now(), "unsafe"]);
});

Deno.test("performCall() does not begin an unsafe call whose run was cancelled while its intent was stored", async () => {
  await using store = await openTestStore();
  const stop = new AbortController();
  const conversations = new class extends SqlConversationStore {
    override async startCall(executionId: number, call: CallIntent): Promise<void> {
      await super.startCall(executionId, call);
      stop.abort(new RunStopped("Cancelled by user"));
    }
  }(store.db);
  let paid = 0;
  const pay = () => Promise.resolve(void paid++);
  const payment = performPayment({ store, conversations, signal: stop.signal, pay });
  await assert.rejects(payment, RunStopped);
  assert.equal(paid, 0);
});
