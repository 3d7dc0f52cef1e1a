import assert from "node:assert/strict";
import type { ModelError, ModelRequest, StopReason } from "../../../../runtime/models/model.ts";
import { createModel } from "../../../../runtime/models/providers/openai.ts";
import type { AdapterOptions } from "../../../../runtime/models/providers/provider_model.ts";
import { thoughtOf } from "../../../../runtime/models/message.ts";
import { collectReply, failureOf, modelRequest } from "../../../support/collect_reply.ts";
import { OpenAiServer, type OpenAiStep } from "../../../support/models/openai_server.ts";
import { TestClock } from "../../../support/test_clock.ts";

const KEY = "sk-distinctive-0123456789";

function model(
  server: { url: string },
  overrides: Partial<AdapterOptions> = {},
): ReturnType<typeof createModel> {
  return createModel({
    id: "openai/test",
    name: "test",
    baseUrl: server.url,
    apiKey: KEY,
    streamUsage: true,
    adapter: "openai",
    clock: new TestClock(),
    ...overrides,
  });
}

/** Makes one call for each of the answers. Returns the errors. */
async function failuresOf(...steps: OpenAiStep[]): Promise<ModelError[]> {
  await using server = new OpenAiServer(steps);
  const failures = await Array.fromAsync(steps, () => failureOf(model(server)));
  server.assertDone();
  for (const { message } of failures) assert.ok(!message.includes(KEY), message);
  return failures;
}

async function replyOf(step: OpenAiStep): Promise<Awaited<ReturnType<typeof collectReply>>> {
  await using server = new OpenAiServer([step]);
  return await collectReply(model(server));
}

Deno.test("OpenAiModel sends the conversation, tools and limits in the API's format", async () => {
  await using server = new OpenAiServer([{ text: "ok" }]);
  const call = { id: "c1", name: "file_read", arguments: '{"path":' };
  const tool = { name: "file_read", description: "Reads.", parameters: { type: "object" } };
  const request: ModelRequest = {
    messages: [
      { role: "system", content: "Be brief." },
      { role: "assistant", content: "", toolCalls: [call] },
      { role: "tool", toolCallId: "c1", toolName: "file_read", content: "Error: x", isError: true },
    ],
    tools: [tool],
    temperature: 0.2,
    maxTokens: 77,
  };
  await collectReply(model(server), request);
  const { path, body, headers } = server.request(0);
  assert.equal(path, "/v1/chat/completions");
  assert.equal(headers.get("authorization"), `Bearer ${KEY}`);
  const unreadable = { name: call.name, arguments: '{"unreadable_arguments":"{\\"path\\":"}' };
  assert.deepEqual(body, {
    model: "test",
    messages: [
      { role: "system", content: "Be brief." },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c1", type: "function", function: unreadable }],
      },
      { role: "tool", tool_call_id: "c1", content: "Error: x" },
    ],
    stream: true,
    stream_options: { include_usage: true },
    temperature: 0.2,
    max_completion_tokens: 77,
    tools: [{ type: "function", function: tool }],
  });
});

Deno.test("OpenAiModel sends max_tokens to a compatible endpoint, and omits disabled options", async () => {
  await using server = new OpenAiServer([{ text: "ok", usage: null }]);
  const { reply } = await collectReply(
    model(server, { adapter: "compatible", streamUsage: false }),
    modelRequest({ temperature: undefined }),
  );
  assert.equal(reply.usage, null);
  assert.deepEqual(server.request(0).body, {
    model: "test",
    messages: [{ role: "user", content: "Hello" }],
    stream: true,
    max_tokens: 4096,
  });
});

Deno.test("OpenAiModel converts finish reasons", async () => {
  const cases: [OpenAiStep, string][] = [
    [{ text: "a", finish: "stop" }, "end"],
    [{ text: "a", finish: "length" }, "length"],
    [{ text: "a", finish: "content_filter" }, "content_filter"],
    [{ text: "a", finish: "gone_fishing" }, "unknown"],
    [{ chunks: [{ choices: [{ delta: { refusal: "I will not." } }] }] }, "refusal"],
    [{ toolCalls: [{ name: "t", arguments: {} }], finish: "stop" }, "tool_calls"],
    [{ toolCalls: [{ name: "t", arguments: '{"a":' }], finish: "length" }, "length"],
  ];
  for (const [step, stop] of cases) assert.equal((await replyOf(step)).reply.stop, stop);
});

Deno.test("OpenAiModel marks retryable errors and reads their wait", async () => {
  const transient = [408, 409, 429, 500, 502, 503, 529];
  const final = [400, 403, 404, 413, 422];
  const answers = [...transient, ...final].map((status) => ({ status, body: "{}" }));
  const retryable = (await failuresOf(...answers)).map((error) => error.retryable);
  assert.deepEqual(retryable, answers.map(({ status }) => transient.includes(status)));
  const waits: [Record<string, string>, number | undefined][] = [
    [{ "retry-after": "7" }, 7_000],
    [{ "retry-after": "1.5" }, 1_500],
    [{ "retry-after": "Thu, 01 Jan 2026 00:01:00 GMT" }, 60_000],
    [{ "retry-after": "Wed, 31 Dec 2025 00:00:00 GMT" }, 0],
    [{ "retry-after": "soon" }, undefined],
    [{ "retry-after-ms": "250", "retry-after": "9" }, 250],
    [{}, undefined],
  ];
  const body = '{"error":{"message":"slow"}}';
  const slow = await failuresOf(...waits.map(([headers]) => ({ status: 429, body, headers })));
  assert.deepEqual(slow.map((error) => error.retryAfterMs), waits.map(([, wait]) => wait));
  for (const { message } of slow) assert.equal(message, "openai answered 429: slow");
});

Deno.test("OpenAiModel reads an error inside the stream", async () => {
  const failures = await failuresOf(
    { text: "half", chunks: [{ error: { message: "Overloaded", code: 503 } }] },
    { chunks: [{ error: { message: "Too long", code: "context_length_exceeded" } }] },
  );
  assert.deepEqual(failures.map(({ message, retryable }) => [message, retryable]), [
    ["openai answered 503: Overloaded", true],
    ["openai broke off its reply: Too long", false],
  ]);
});

Deno.test("OpenAiModel streams a complete reply that starts like a thought tag but has none", async () => {
  for (const text of ["\r\n", "<", " <thin", ""]) {
    await using server = new OpenAiServer([{ text }]);
    let shown = "";
    const { reply } = await collectReply(model(server), modelRequest(), {
      onDelta: (delta) => void (delta.type === "text" && (shown += delta.text)),
    });
    assert.deepEqual([shown, reply.message.content], [text, text]);
  }
});

const THOUGHT = "<think>\nÜber <b>; </thin\n</think>\n\nGrüße <think>!</think>";

Deno.test("OpenAiModel separates reasoning from the answer, wherever the stream is split", async () => {
  const whole = [...THOUGHT];
  const splits = whole.map((_, at) => [whole.slice(0, at).join(""), whole.slice(at).join("")]);
  for (const text of [whole, ...splits]) {
    await using server = new OpenAiServer([{ text }]);
    const { reply, text: shown } = await collectReply(model(server));
    const { message: { content }, stop } = reply;
    const expected = ["Über <b>; </thin", "Grüße <think>!</think>", "end"];
    assert.deepEqual([thoughtOf(reply.message), content, stop], expected, JSON.stringify(text));
    assert.equal(shown, content);
  }
});

Deno.test("OpenAiModel reports reasoning that is never closed, unless calls follow or the reply was cut", async () => {
  const text = ["<think>So", " I"];
  const call = { name: "read", arguments: {} };
  const rows: [OpenAiStep, StopReason][] = [
    [{ text }, "unclosed_thought"],
    [{ text, finish: "length" }, "length"],
    [{ text, toolCalls: [call] }, "tool_calls"],
  ];
  for (const [step, stop] of rows) {
    await using server = new OpenAiServer([step]);
    const { reply } = await collectReply(model(server));
    assert.deepEqual([reply.stop, thoughtOf(reply.message), reply.message.content], [
      stop,
      "So I",
      "",
    ]);
  }
});
