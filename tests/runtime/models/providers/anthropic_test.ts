import assert from "node:assert/strict";
import { createModel, toAnthropicPrompt } from "../../../../runtime/models/providers/anthropic.ts";
import { AnthropicReplyAssembler } from "../../../../runtime/models/providers/anthropic_reply.ts";
import type { AssistantMessage, Message } from "../../../../runtime/models/message.ts";
import type { Model, ModelReply } from "../../../../runtime/models/model.ts";
import { AnthropicServer } from "../../../support/models/anthropic_server.ts";
import { collectReply, failureOf, modelRequest } from "../../../support/collect_reply.ts";
import { TestClock } from "../../../support/test_clock.ts";

const OWNER = { format: "anthropic", model: "m" };

function model(server: AnthropicServer, name = "m"): Model {
  const id = `anthropic/${name}`;
  const clock = new TestClock();
  return createModel({
    adapter: "anthropic",
    streamUsage: true,
    id,
    name,
    baseUrl: server.origin,
    apiKey: "k",
    clock,
  });
}

function replyFrom(...events: unknown[]): ModelReply {
  const assembly = new AnthropicReplyAssembler(OWNER);
  for (const event of events) assembly.add(event);
  return assembly.finish() ?? assert.fail("the reply is not finished");
}

const begin = (index: number, content_block: unknown) => ({
  type: "content_block_start",
  index,
  content_block,
});
const go = (index: number, delta: unknown) => ({ type: "content_block_delta", index, delta });

const THINKING = [
  begin(0, { type: "thinking", thinking: "" }),
  go(0, { type: "thinking_delta", thinking: "Hm" }),
  go(0, { type: "thinking_delta", thinking: "m." }),
  go(0, { type: "signature_delta", signature: "s1" }),
  begin(1, { type: "redacted_thinking", data: "secret" }),
  begin(2, { type: "text", text: "" }),
  go(2, { type: "text_delta", text: "Reading." }),
  begin(3, { type: "tool_use", id: "t1", name: "read", input: {} }),
  go(3, { type: "input_json_delta", partial_json: '{"path":"a"}' }),
];

function end(reason: string): unknown {
  return { type: "message_delta", delta: { stop_reason: reason }, usage: { output_tokens: 9 } };
}

Deno.test("AnthropicModel marks the end of the prompt for the cache, and omits empty fields", async () => {
  await using server = new AnthropicServer([{ text: "ok" }, { text: "ok", usage: null }]);
  const tool = { name: "a", description: "A.", parameters: { type: "object" } };
  const user = { role: "user" as const, content: "Hi" };
  const messages: Message[] = [{ role: "system", content: "Be brief." }, user];
  const tools = [tool, { ...tool, name: "b" }];
  const limits = { temperature: 0.3, maxTokens: 77 };
  await collectReply(model(server), modelRequest({ messages, tools, ...limits }));
  const cache_control = { type: "ephemeral" };
  const content = [{ type: "text", text: "Hi" }];
  const sent = { model: "m", max_tokens: 77, stream: true, messages: [{ role: "user", content }] };
  assert.deepEqual(server.request(0).body, {
    ...sent,
    temperature: 0.3,
    system: [{ type: "text", text: "Be brief.", cache_control }],
    tools: [
      { name: "a", description: "A.", input_schema: { type: "object" } },
      { name: "b", description: "A.", input_schema: { type: "object" }, cache_control },
    ],
  });
  assert.match(server.request(0).headers.get("anthropic-version") ?? "", /^\d{4}-\d\d-\d\d$/);
  const bare = modelRequest({ messages: [user], temperature: undefined, maxTokens: 77 });
  assert.equal((await collectReply(model(server), bare)).reply.usage, null);
  assert.deepEqual(server.request(1).body, sent);
});

Deno.test("AnthropicReplyAssembler returns the text even if blocks start twice or out of order", () => {
  const block = (index: number) => begin(index, { type: "text", text: "" });
  const say = (index: number, text: string) => go(index, { type: "text_delta", text });
  const { message } = replyFrom(
    ...[block(1), say(1, "One "), block(0), say(0, "two "), block(1), say(1, "three")],
    { type: "message_delta", delta: { stop_reason: "end_turn" } },
  );
  assert.equal(message.content, "One two three");
});

Deno.test("AnthropicReplyAssembler counts cached tokens as part of the input", () => {
  const cached = { cache_read_input_tokens: 1_000, cache_creation_input_tokens: 200 };
  const counted = { input_tokens: 50, ...cached, output_tokens: 1, service_tier: "standard" };
  const { usage } = replyFrom(
    { type: "message_start", message: { usage: counted } },
    end("end_turn"),
  );
  const read = { cacheReadTokens: 1_000, cacheWriteTokens: 200 };
  assert.deepEqual(usage, { inputTokens: 1_250, outputTokens: 9, ...read });
});

Deno.test("AnthropicReplyAssembler keeps thinking for its own model, and omits it from the text", () => {
  const { message, stop } = replyFrom(...THINKING, end("tool_use"));
  assert.deepEqual([stop, message.content], ["tool_calls", "Reading."]);
  assert.deepEqual(message.toolCalls, [{ id: "t1", name: "read", arguments: '{"path":"a"}' }]);
  const blocks = [
    { type: "thinking", thinking: "Hmm.", signature: "s1" },
    { type: "redacted_thinking", data: "secret" },
    { type: "text", text: "Reading." },
    { type: "tool_use", id: "t1", name: "read", input: { path: "a" } },
  ];
  assert.deepEqual(message.providerData, { format: "anthropic", model: "m", blocks });
  const messages: Message[] = [
    { role: "user", content: "Go" },
    message,
    { role: "tool", toolCallId: "t1", toolName: "read", content: "A", isError: false },
  ];
  const own = toAnthropicPrompt({ messages, tools: [] }, OWNER);
  assert.deepEqual(own.messages[1], { role: "assistant", content: blocks });
  const foreign = toAnthropicPrompt({ messages, tools: [] }, { ...OWNER, model: "other" });
  assert.deepEqual(foreign.messages[1], { role: "assistant", content: blocks.slice(2) });
});

Deno.test("AnthropicReplyAssembler converts stop reasons", () => {
  const cases = [
    ["end_turn", "end"],
    ["stop_sequence", "end"],
    ["tool_use", "tool_calls"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["refusal", "refusal"],
    ["pause_turn", "unknown"],
    ["gone_fishing", "unknown"],
  ] as const;
  for (const [reason, stop] of cases) assert.equal(replyFrom(end(reason)).stop, stop);
});

Deno.test("AnthropicReplyAssembler accepts input that is complete, missing or broken", () => {
  const start = (index: number, input: unknown, id?: string) =>
    begin(index, { type: "tool_use", id, name: "t", input });
  const { message } = replyFrom(
    start(0, { a: 1 }, "x"),
    start(1, {}),
    start(2, {}, "z"),
    go(2, { type: "input_json_delta", partial_json: "{" }),
    go(7, { type: "text_delta", text: "nowhere" }),
    "not even an object",
    end("tool_use"),
  );
  assert.deepEqual(message.toolCalls.map((call) => call.arguments), ['{"a":1}', "{}", "{"]);
  assert.equal(new Set(message.toolCalls.map((call) => call.id)).size, 3);
  const { messages } = toAnthropicPrompt({ messages: [message], tools: [] }, OWNER);
  const found = (messages[0]?.content as { input: unknown }[]).map((block) => block.input);
  assert.deepEqual(found, [{ a: 1 }, {}, { unreadable_arguments: "{" }]);
});

Deno.test("toAnthropicPrompt() omits blank blocks and alternates the roles", () => {
  const { messages, system } = toAnthropicPrompt({
    messages: [
      { role: "system", content: " " },
      { role: "user", content: "One" },
      { role: "assistant", content: "", toolCalls: [] },
      { role: "user", content: "Two" },
      { role: "assistant", content: "", toolCalls: [{ id: "c", name: "t", arguments: "{}" }] },
      { role: "tool", toolCallId: "c", toolName: "t", content: "", isError: false },
      { role: "user", content: "Three" },
    ],
    tools: [],
  }, OWNER);
  assert.equal(system, undefined);
  assert.deepEqual(messages, [
    { role: "user", content: [{ type: "text", text: "One" }, { type: "text", text: "Two" }] },
    { role: "assistant", content: [{ type: "tool_use", id: "c", name: "t", input: {} }] },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "c", content: [] },
        { type: "text", text: "Three" },
      ],
    },
  ]);
});

Deno.test("AnthropicModel reads an error inside the stream", async () => {
  const event = (type: string, message: string) =>
    `event: error\ndata: ${JSON.stringify({ type: "error", error: { type, message } })}\n\n`;
  await using server = new AnthropicServer([
    { text: "half", raw: event("overloaded_error", "Overloaded"), then: "end" },
    { raw: event("invalid_request_error", "Bad"), then: "end" },
    { raw: "event: ping\ndata: {}\n\n", text: "fine" },
  ]);
  const overloaded = await failureOf(model(server));
  assert.equal(overloaded.message, "anthropic broke off its reply: Overloaded");
  assert.equal(overloaded.retryable, true);
  const bad = await failureOf(model(server));
  assert.deepEqual([bad.message, bad.retryable], ["anthropic broke off its reply: Bad", false]);
  assert.equal((await collectReply(model(server))).text, "fine");
});

Deno.test("toAnthropicPrompt() replaces forbidden characters in the ids of another provider's calls", () => {
  const call = { id: "functions.read:0", name: "read", arguments: "{}" };
  const about = { toolCallId: call.id, toolName: "read" };
  const result: Message = { role: "tool", ...about, content: "A", isError: false };
  const said: AssistantMessage = { role: "assistant", content: "", toolCalls: [call] };
  const blocks = [{ type: "tool_use", id: call.id, name: "read", input: {} }];
  const kept = { format: "anthropic", model: "m", blocks };
  for (const reply of [said, { ...said, providerData: kept }]) {
    const { messages } = toAnthropicPrompt({ messages: [reply, result], tools: [] }, OWNER);
    const id = "functions_read_0";
    const content = [{ type: "text", text: "A" }];
    assert.deepEqual(messages, [
      { role: "assistant", content: [{ type: "tool_use", id, name: "read", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] },
    ]);
  }
});
