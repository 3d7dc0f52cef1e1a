import assert from "node:assert/strict";
import type { ToolCall } from "../../../../runtime/models/message.ts";
import { OpenAiReplyAssembler } from "../../../../runtime/models/providers/openai_reply.ts";

const END = { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };

function replyFrom(chunks: unknown[]): NonNullable<ReturnType<OpenAiReplyAssembler["finish"]>> {
  const assembly = new OpenAiReplyAssembler({ format: "openai", model: "openai/test" });
  for (const chunk of chunks) assembly.add(chunk);
  return assembly.finish() ?? assert.fail("the reply is not finished");
}

function callsFrom(...fragments: unknown[]): ToolCall[] {
  const chunks = fragments.map((fragment) => ({
    choices: [{ delta: { tool_calls: [fragment] } }],
  }));
  return replyFrom([...chunks, END]).message.toolCalls;
}

Deno.test("OpenAiReplyAssembler accepts null content, null deltas, parts of text and missing choices", () => {
  const reply = replyFrom([
    { choices: [{ delta: { role: "assistant", content: null } }] },
    { choices: [{ delta: null }] },
    { choices: null },
    {},
    { choices: [{ delta: { content: [{ type: "text", text: "a" }, { type: "thinking" }] } }] },
    { choices: [{ message: { content: "b" } }] },
    { choices: [{ index: 1, delta: { content: "another choice" } }] },
    END,
  ]);
  assert.deepEqual([reply.message.content, reply.usage], ["ab", null]);
});

Deno.test("OpenAiReplyAssembler omits reasoning from the text and reports it as progress", () => {
  const assembly = new OpenAiReplyAssembler({ format: "openai", model: "openai/test" });
  for (const field of ["reasoning_content", "reasoning", "reasoning_details"]) {
    const choices = [{ delta: { [field]: "hmm" } }];
    assert.deepEqual(assembly.add({ choices }), { type: "progress" });
  }
  assembly.add(END);
  assert.equal(assembly.finish()?.message.content, "");
});

Deno.test("OpenAiReplyAssembler uses the last usage of a stream with usage in every chunk", () => {
  const { usage } = replyFrom([
    { choices: [{ delta: { content: "a" } }], usage: { prompt_tokens: 9, completion_tokens: 1 } },
    { choices: [{ delta: { content: "b" } }], usage: { prompt_tokens: 9, completion_tokens: 2 } },
    { ...END, usage: { prompt_tokens: 9, completion_tokens: 3, prompt_cache_hit_tokens: 4 } },
    { choices: [], usage: null },
  ]);
  const expected = { inputTokens: 9, outputTokens: 3, cacheReadTokens: 4, cacheWriteTokens: 0 };
  assert.deepEqual(usage, expected);
  const details = { prompt_tokens_details: { cached_tokens: 100 }, cost: 0.00125 };
  const reply = replyFrom([{ ...END, usage: { prompt_tokens: 120, ...details } }]);
  assert.deepEqual([reply.usage?.cacheReadTokens, reply.reportedCostUsd], [100, 0.00125]);
});

Deno.test("OpenAiReplyAssembler invents ids for calls without a unique id", () => {
  const calls = callsFrom(
    { index: 0, function: { name: "one", arguments: "{}" } },
    { index: 1, id: "", function: { name: "two", arguments: "{}" } },
    { index: 2, id: "same", function: { name: "three", arguments: "{}" } },
    { index: 3, id: "same", function: { name: "four", arguments: "{}" } },
  );
  assert.deepEqual(calls.map((call) => call.name), ["one", "two", "three", "four"]);
  assert.equal(new Set(calls.map((call) => call.id)).size, 4);
  assert.ok(calls.every((call) => call.id !== ""));
});

Deno.test("OpenAiReplyAssembler separates calls in all forms of fragments", () => {
  const read = (args: unknown) => ({ function: { name: "read", arguments: args } });
  const two = ['{"p":1}', '{"p":2}'];
  const rows: [form: string, fragments: object[], args: string[]][] = [
    [
      "arguments that are an object, absent or null",
      [{ index: 0, id: "a", ...read({ x: 1 }) }, { index: 1, id: "b", ...read(undefined) }, {
        index: 2,
        id: "c",
        ...read(null),
      }],
      ['{"x":1}', "{}", "{}"],
    ],
    [
      "no index",
      [{ id: "a", ...read('{"p":') }, { function: { arguments: "1}" } }, {
        id: "b",
        ...read(two[1]),
      }],
      two,
    ],
    ["neither index nor id", [read(two[0]), read(two[1])], two],
    ["index 0 everywhere", [0, 1].map((i) => ({ index: 0, id: `c${i}`, ...read(two[i]) })), two],
    [
      "a name in every fragment",
      ['{"p"', ":1}"].map((part) => ({ index: 0, id: "a", ...read(part) })),
      ['{"p":1}'],
    ],
  ];
  for (const [form, fragments, args] of rows) {
    const calls = callsFrom(...fragments).map((call) => [call.name, call.arguments]);
    assert.deepEqual(calls, args.map((one) => ["read", one]), form);
  }
});
