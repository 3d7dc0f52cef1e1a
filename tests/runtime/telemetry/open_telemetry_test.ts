import { SpanStatusCode } from "@opentelemetry/api";
import assert from "node:assert/strict";
import { join } from "node:path";
import { inspect } from "node:util";
import type { Execution } from "../../../runtime/executions/execution.ts";
import type { ExecutionStatus } from "../../../runtime/executions/states.ts";
import { RunStopped } from "../../../runtime/executions/loop/run.ts";
import { ModelError, type ModelReply } from "../../../runtime/models/model.ts";
import { ReplyTimeout } from "../../../runtime/models/calls/retry.ts";
import { filesBelow, REPOSITORY } from "../../support/repository.ts";
import { createTestAgent } from "../../support/test_agent.ts";
import { executionOf } from "../notify/outbox_world.ts";
import { RecordedTelemetry } from "./recorded_telemetry.ts";

const execution = (overrides: Partial<Execution> = {}) =>
  executionOf(7, {
    agentId: "tester",
    displayName: "The Tester",
    status: "running",
    model: "google/tiny",
    args: ["an argument"],
    error: null,
    ...overrides,
  });

const REPLY: ModelReply = {
  message: { role: "assistant", content: "The answer.", toolCalls: [] },
  stop: "end",
  usage: { inputTokens: 90, outputTokens: 8, cacheReadTokens: 60, cacheWriteTokens: 0 },
  reportedCostUsd: null,
};

const asked = (one: Execution) => ({
  execution: one,
  model: { id: "google/models/tiny" },
  agent: createTestAgent(),
});
const use = (one: Execution, name = "file_read") => ({
  execution: one,
  call: { name, toolCallId: "call_1" },
});

Deno.test("modelCall() reports the request's settings and the reply's figures, but no text", async () => {
  using recorded = new RecordedTelemetry();
  const { telemetry, clock, points } = recorded;
  const result = await telemetry.modelCall(asked(execution({ sessionId: "chat-1" })), async () => {
    await clock.advance(1_500);
    return REPLY;
  });
  assert.equal(result, REPLY);
  assert.deepEqual(recorded.spans, [{
    name: "chat models/tiny",
    parent: undefined,
    status: undefined,
    isEnded: true,
    attributes: {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "gcp.gemini",
      "gen_ai.request.model": "models/tiny",
      "gen_ai.request.max_tokens": 4096n,
      "gen_ai.request.temperature": 0.7,
      "gen_ai.request.stream": true,
      "gen_ai.conversation.id": "chat-1",
      "inkling.execution.id": 7n,
      "gen_ai.response.finish_reasons": ["stop"],
      "gen_ai.usage.input_tokens": 90n,
      "gen_ai.usage.output_tokens": 8n,
      "gen_ai.usage.cache_read.input_tokens": 60n,
    },
  }]);
  const model = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "gcp.gemini",
    "gen_ai.request.model": "models/tiny",
  };
  const tokens = "gen_ai.client.token.usage";
  assert.deepEqual(points, [
    { metric: tokens, value: 90, attributes: { ...model, "gen_ai.token.type": "input" } },
    { metric: tokens, value: 8, attributes: { ...model, "gen_ai.token.type": "output" } },
    { metric: "gen_ai.client.operation.duration", value: 1.5, attributes: model },
  ]);
});

Deno.test("modelCall() counts no tokens if the endpoint reports none", async () => {
  using recorded = new RecordedTelemetry();
  const reply: ModelReply = { ...REPLY, usage: null, stop: "tool_calls" };
  await recorded.telemetry.modelCall(asked(execution()), () => Promise.resolve(reply));
  const metrics = recorded.points.map(({ metric }) => metric);
  assert.deepEqual(metrics, ["gen_ai.client.operation.duration"]);
  const { attributes } = recorded.span("chat models/tiny");
  assert.equal(attributes["gen_ai.usage.input_tokens"], undefined);
  assert.deepEqual(attributes["gen_ai.response.finish_reasons"], ["tool_calls"]);
});

const FAILURES: readonly [Error, string][] = [
  [new ModelError("a sentence", { retryable: true, status: 429 }), "429"],
  [new ModelError("a sentence", { retryable: false }), "ModelError"],
  [new ReplyTimeout(300), "ReplyTimeout"],
  [new RunStopped("a sentence"), "RunStopped"],
];

Deno.test("modelCall() reports the type of a failure without its message, and rethrows it", async () => {
  for (const [error, type] of FAILURES) {
    using recorded = new RecordedTelemetry();
    const call = recorded.telemetry.modelCall(asked(execution()), () => Promise.reject(error));
    await assert.rejects(call, (thrown) => thrown === error);
    const span = recorded.span("chat models/tiny");
    assert.deepEqual(span.status, { code: SpanStatusCode.ERROR });
    assert.deepEqual([span.attributes["error.type"], span.isEnded], [type, true]);
    assert.equal(recorded.points[0]?.attributes["error.type"], type);
    assert.ok(!inspect(recorded.spans).includes(error.message));
  }
});

Deno.test("toolCall() distinguishes results, failures and waiting calls, without their content", async () => {
  using recorded = new RecordedTelemetry();
  const { telemetry, spans } = recorded;
  const content = "secret";
  for (const result of [{ content, isError: false }, { content, isError: true }, { childId: 8 }]) {
    assert.equal(await telemetry.toolCall(use(execution()), () => Promise.resolve(result)), result);
  }
  const told = spans.map(({ status, attributes: all }) => [
    ...[status?.code, all["error.type"], all["inkling.tool.waiting"]],
  ]);
  assert.deepEqual(told, [
    [undefined, undefined, undefined],
    [SpanStatusCode.ERROR, "tool_error", undefined],
    [undefined, undefined, true],
  ]);
  assert.deepEqual(spans[0], {
    name: "execute_tool file_read",
    parent: undefined,
    status: undefined,
    isEnded: true,
    attributes: {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "file_read",
      "gen_ai.tool.call.id": "call_1",
      "gen_ai.tool.type": "function",
      "gen_ai.agent.id": "tester",
      "gen_ai.agent.name": "The Tester",
      "inkling.execution.id": 7n,
    },
  });
});

const STATES: readonly [ExecutionStatus, string | undefined][] = [
  ["success", undefined],
  ["waiting", undefined],
  ["running", undefined],
  ["error", "error"],
  ["aborted", "aborted"],
  ["timeout", "timeout"],
];

Deno.test("execution() reports the status of the execution, and failures as errors", async () => {
  for (const [status, type] of STATES) {
    using recorded = new RecordedTelemetry();
    await recorded.telemetry.execution(execution(), () => Promise.resolve(status));
    const { attributes } = recorded.span("invoke_agent The Tester");
    const expected = [status, type];
    assert.deepEqual([attributes["inkling.execution.status"], attributes["error.type"]], expected);
    assert.ok(!inspect(recorded.spans).includes("an argument"));
  }
});

Deno.test("an execution's span is a child of the span of the tool that started it", async () => {
  using recorded = new RecordedTelemetry();
  const { telemetry } = recorded;
  const named = (displayName: string, more: Partial<Execution>) =>
    execution({ displayName, ...more });
  const done = () => Promise.resolve("success" as const);
  const lead = named("lead", { id: 1 });
  const child = named("child", { id: 2, parentExecutionId: 1 });
  await telemetry.execution(lead, async () => {
    await telemetry.modelCall(asked(lead), () => Promise.resolve(REPLY));
    await telemetry.toolCall(use(lead, "run_agent"), async () => {
      await telemetry.execution(child, async () => {
        await telemetry.toolCall(use(child), () => Promise.resolve({ isError: false }));
        // These runs were not started by the tool whose span is active.
        await telemetry.execution(named("stranger", { id: 3 }), done);
        await telemetry.execution(named("other's child", { id: 4, parentExecutionId: 3 }), done);
        return "success";
      });
      return { isError: false };
    });
    return "success";
  });
  assert.deepEqual(recorded.spans.map(({ name, parent }) => [name, parent]), [
    ["invoke_agent lead", undefined],
    ["chat models/tiny", "invoke_agent lead"],
    ["execute_tool run_agent", "invoke_agent lead"],
    ["invoke_agent child", "execute_tool run_agent"],
    ["execute_tool file_read", "invoke_agent child"],
    ["invoke_agent stranger", undefined],
    ["invoke_agent other's child", undefined],
  ]);
});

Deno.test("cost() and ended() count by agent, model, state and trigger", () => {
  using recorded = new RecordedTelemetry();
  recorded.telemetry.cost(asked(execution()), 0.25);
  recorded.telemetry.ended(execution({ status: "aborted", trigger: "schedule" }));
  const agent = { "gen_ai.agent.id": "tester" };
  const model = { "gen_ai.provider.name": "gcp.gemini", "gen_ai.request.model": "models/tiny" };
  const end = { "inkling.execution.status": "aborted", "inkling.execution.trigger": "schedule" };
  assert.deepEqual(recorded.points, [
    { metric: "inkling.cost", value: 0.25, attributes: { ...agent, ...model } },
    { metric: "inkling.executions", value: 1, attributes: { ...agent, ...end } },
  ]);
});

const PARTS = ["startSpan", "setAttributes", "setStatus", "end", "record", "with"] as const;

Deno.test("a telemetry error is logged once and never affects the work", async () => {
  for (const part of PARTS) {
    using recorded = new RecordedTelemetry();
    const { telemetry, log } = recorded;
    recorded.broken = part;
    let times = 0;
    const reply = await telemetry.modelCall(asked(execution()), () => {
      times++;
      return Promise.resolve(REPLY);
    });
    const failure = new Error("its own");
    const failing = telemetry.toolCall(use(execution()), () => {
      times++;
      // The work may throw synchronously instead of rejecting.
      throw failure;
    });
    await assert.rejects(failing, (error) => error === failure);
    await telemetry.execution(execution(), () => {
      times++;
      return Promise.resolve("error");
    });
    telemetry.cost(asked(execution()), 1);
    telemetry.ended(execution());
    assert.deepEqual([reply, times], [REPLY, 3], part);
    assert.deepEqual(log.lines.map(({ level }) => level), ["warn"], part);
  }
});

Deno.test("docs/telemetry.md lists every attribute and metric", () => {
  const page = Deno.readTextFileSync(join(REPOSITORY, "docs/telemetry.md"));
  const sources = filesBelow(join(REPOSITORY, "runtime/telemetry")).map(Deno.readTextFileSync);
  const names = sources.join("\n").match(/(?<=")(gen_ai|inkling|error)\.[a-z_.]+(?=")/g) ?? [];
  assert.ok(names.length > 20);
  const missing = new Set(names).difference(new Set(page.match(/(?<=`)[a-z_.]+(?=`)/g)));
  assert.deepEqual([...missing], []);
});
