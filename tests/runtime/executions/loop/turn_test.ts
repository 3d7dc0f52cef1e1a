// Tests replies that are cut off while they stream: they restart, or their partial text is kept.
import assert from "node:assert/strict";
import type { Clock } from "../../../../base/clock.ts";
import { Conversation } from "../../../../runtime/executions/record/conversation.ts";
import { Journal } from "../../../../runtime/executions/record/journal.ts";
import type { Run } from "../../../../runtime/executions/loop/run.ts";
import { takeTurn } from "../../../../runtime/executions/loop/turn.ts";
import type { Model } from "../../../../runtime/models/model.ts";
import { Toolbox } from "../../../../runtime/tools/toolbox.ts";
import type { ExecutionDetail, Runtime } from "../../../../runtime/interface/runtime.ts";
import { AnthropicServer } from "../../../support/models/anthropic_server.ts";
import { OpenAiServer } from "../../../support/models/openai_server.ts";
import { createTestAgent } from "../../../support/test_agent.ts";
import { TestClock } from "../../../support/test_clock.ts";
import { openTestStore } from "../../../support/test_store.ts";
import type { TestWorkspace } from "../../../support/test_workspace.ts";
import { createTestWorkspace, payloadsOf, runToEnd } from "../../../support/test_workspace.ts";
import { until } from "../../../support/until.ts";

/** Creates a workspace with an agent that uses this model. */
async function createTeller({ url }: OpenAiServer): Promise<TestWorkspace> {
  const place = await createTestWorkspace({ shell: { ELSEWHERE_API_KEY: "k" } });
  const model = `model: { provider: elsewhere, name: tiny, base_url: "${url}" }`;
  await place.writeAgent("teller", `---\n${model}\n---\nTell.\n`);
  return place;
}

Deno.test("takeTurn() replaces a restarted reply's text, and keeps the last text after a cancel", async () => {
  await using model = new OpenAiServer([
    { text: ["Once ", "upon"], then: "cut" },
    // The reply never ends, so that its stored frame does not replace the streamed text.
    { text: ["In the ", "beginning"], then: "hang" },
  ]);
  await using place = await createTeller(model);
  await using runtime = await place.open();
  const { id } = await runtime.run("teller", {});
  const { signal } = new AbortController();
  const seen = new Set<string>();
  let [shown, frames] = ["", ""];
  const following = (async () => {
    for await (const item of (await runtime.follow(id, { after: 0, deltas: true, signal })).items) {
      if (item.type === "delta") shown = item.restart ? item.content : shown + item.content;
      if (item.type === "frame") frames += item.frame.payload;
      seen.add(shown);
    }
  })();
  await until(() => shown === "In the beginning", "the second reply");
  assert.ok(seen.has("Once upon"));
  await runtime.cancel(id);
  await following;
  const ended = await runtime.getExecution(id);
  const { status, outputData, inputTokens, outputTokens, totalTokens } = ended;
  assert.deepEqual([status, outputData], ["aborted", "In the beginning"]);
  assert.ok(inputTokens > 100, String(inputTokens));
  assert.equal(outputTokens, 4);
  assert.equal(totalTokens, inputTokens + outputTokens);
  assert.equal(ended.isUsageEstimated, true);
  assert.doesNotMatch(frames, /Once/);
  assert.match(frames, /"content":"In the beginning"/);
  assert.match(frames, /what its provider had not counted by then is estimated/);
  assert.equal(model.requests.length, 2);
});

Deno.test("takeTurn() logs each retry with the execution and the agent", async () => {
  const headers = { "retry-after": "0" };
  await using model = new OpenAiServer([
    ...[{ status: 429, headers }, { text: ["Here."] }, { status: 400, body: "no" }],
  ]);
  await using place = await createTeller(model);
  await using runtime = await place.open();
  const { id, status, isUsageEstimated } = await runToEnd(runtime, "teller");
  assert.deepEqual([status, isUsageEstimated], ["success", false]);
  const notices = (await payloadsOf(runtime, id)).filter((one) => one["kind"] === "notice");
  assert.equal(notices.length, 1);
  assert.match(String(notices[0]?.["content"]), /^The rate limit is reached: attempt 2 of 4 in /);
  const [line] = place.logged.filter(({ message }) => message.startsWith("Model call failed"));
  const { execution, agent } = line?.fields ?? {};
  assert.deepEqual([line?.level, execution, agent], ["warn", id, "teller"]);
  await runToEnd(runtime, "teller");
  assert.deepEqual(
    place.logged.filter(({ message }) => message === "Execution ended")
      .map(({ level, fields }) => [level, fields?.["status"], fields?.["agent"]]),
    [["info", "success", "teller"], ["warn", "error", "teller"]],
  );
});

/** Runs an agent whose reply stalls after this text, calls `happens`, and returns the ended execution. */
async function endOfSilentReply(
  { text, clock, settings = "", happens }: {
    text: string;
    clock?: Clock;
    settings?: string;
    happens: (runtime: Runtime, id: number) => Promise<unknown>;
  },
): Promise<ExecutionDetail> {
  const usage = { input_tokens: 700, cache_read_input_tokens: 50, cache_creation_input_tokens: 27 };
  await using model = new AnthropicServer([{ text, usage, then: "hang" }]);
  await using place = await createTestWorkspace({ shell: { ANTHROPIC_API_KEY: "k" } });
  await place.writeAgent(
    "teller",
    "---\nmodel: { provider: anthropic, name: claude-haiku-4-5, " +
      `base_url: "${model.origin}" }\n${settings}---\nTell.\n`,
  );
  await using runtime = await place.open(clock && { clock });
  const { id } = await runtime.run("teller", {});
  const { signal } = new AbortController();
  for await (const item of (await runtime.follow(id, { after: 0, deltas: true, signal })).items) {
    if (item.type === "delta" && item.content === text) break;
  }
  await happens(runtime, id);
  await until(async () => (await runtime.getExecution(id)).finishedAt !== null, "the end");
  return await runtime.getExecution(id);
}

Deno.test("a cut reply keeps its text, and the missing part of its usage is estimated", async () => {
  const text = "Once upon a time there was ink.";
  const cancelled = await endOfSilentReply({ text, happens: (runtime, id) => runtime.cancel(id) });
  const { outputTokens } = cancelled;
  assert.deepEqual([outputTokens, cancelled.isUsageEstimated], [Math.ceil(text.length / 4), true]);
  // A million tokens cost $1 as input, $0.10 read from the cache, $1.25 written to the cache, and $5 as output.
  const cost = (700 + 50 * 0.1 + 27 * 1.25 + outputTokens * 5) / 1_000_000;
  assert.equal(cancelled.costUsd, Number(cost.toFixed(12)));
  const clock = new TestClock();
  const settings = "settings: { timeout: 45 }\n";
  const late = await endOfSilentReply({
    ...{ text, clock, settings, happens: () => clock.advance(45_000) },
  });
  const stopped = await endOfSilentReply({
    ...{ text, clock, happens: (runtime) => runtime.stop({ graceMs: 0 }) },
  });
  const ends = [cancelled, late, stopped];
  assert.deepEqual(ends.map(({ status, error }) => [status, error]), [
    ["aborted", "Cancelled by user"],
    ["timeout", "Timeout after 45s"],
    ["aborted", "Aborted: service stopped"],
  ]);
  for (const { outputData, inputTokens } of ends) {
    assert.deepEqual([outputData, inputTokens], [text, 777]);
  }
});

Deno.test("takeTurn() ends the model call if a notice of the call cannot be stored", async () => {
  const steps: string[] = [];
  const model: Model = {
    id: "test/m",
    async *generate() {
      steps.push("begun");
      try {
        yield await Promise.resolve({ type: "notice", level: "info", text: "Waits" } as const);
        return assert.fail("the call went on");
      } finally {
        steps.push("ended");
      }
    },
  };
  await using store = await openTestStore();
  const execution = await store.accept();
  const gone = { ...execution, id: execution.id + 1 };
  const run: Partial<Run> = {
    ...{ execution, model, agent: createTestAgent(), signal: new AbortController().signal },
    ...{ conversation: new Conversation(), toolbox: new Toolbox([]), format: undefined },
    journal: new Journal(gone, { ...store, clock: new TestClock() }),
  };
  await assert.rejects(takeTurn(run as Run));
  assert.deepEqual(steps, ["begun", "ended"]);
});
