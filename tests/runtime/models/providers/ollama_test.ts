import assert from "node:assert/strict";
import fc from "fast-check";
import type { Model } from "../../../../runtime/models/model.ts";
import { contextSize, createModel } from "../../../../runtime/models/providers/ollama.ts";
import { collectReply, failureOf, modelRequest } from "../../../support/collect_reply.ts";
import { OllamaServer } from "../../../support/models/ollama_server.ts";
import { TestClock } from "../../../support/test_clock.ts";

function model(server: OllamaServer): Model {
  const clock = new TestClock();
  return createModel({
    adapter: "ollama",
    streamUsage: true,
    id: "ollama/m",
    name: "m",
    baseUrl: server.origin,
    clock,
  });
}

Deno.test("OllamaModel sends tools, limits and the size of the context, and no empty fields", async () => {
  await using server = new OllamaServer([{ text: "ok" }, { text: "ok", usage: null }]);
  const parameters = { type: "object" };
  await collectReply(
    model(server),
    modelRequest({
      messages: [{ role: "system", content: "Be brief." }, { role: "user", content: "Hi" }],
      tools: [{ name: "a", description: "A.", parameters }],
      temperature: 0.3,
      maxTokens: 77,
    }),
  );
  const { body, headers } = server.request(0);
  assert.equal(headers.get("authorization"), null);
  assert.deepEqual(body, {
    model: "m",
    messages: [{ role: "system", content: "Be brief." }, { role: "user", content: "Hi" }],
    stream: true,
    tools: [{ type: "function", function: { name: "a", description: "A.", parameters } }],
    options: { num_ctx: 4096, num_predict: 77, temperature: 0.3 },
  });
  const bare = await collectReply(model(server), modelRequest({ temperature: undefined }));
  const messages = [{ role: "user", content: "Hello" }];
  const options = { num_ctx: 8192, num_predict: 4096 };
  assert.deepEqual(server.request(1).body, { model: "m", messages, stream: true, options });
  assert.equal(bare.reply.usage, null);
});

Deno.test("contextSize() returns a power of two, at least 4,096, with room for prompt and reply", () => {
  const size = (characters: number, maxTokens: number) =>
    contextSize(
      modelRequest({ messages: [{ role: "user", content: "x".repeat(characters) }], maxTokens }),
    );
  assert.equal(size(0, 1), 4_096);
  assert.equal(size(0, 4_096), 4_096);
  assert.equal(size(4, 4_096), 8_192);
  assert.equal(size(60_000, 4_096), 32_768);
  fc.assert(
    fc.property(fc.nat(400_000), fc.integer({ min: 1, max: 128_000 }), (characters, reply) => {
      const context = size(characters, reply);
      assert.equal(Math.log2(context) % 1, 0);
      assert.ok(context >= 4_096 && context >= characters / 3 + reply - 2);
    }),
  );
});

Deno.test("OllamaModel omits thinking from the text, and estimates a prompt without a count", async () => {
  await using server = new OllamaServer([{
    usage: { eval_count: 5 },
    chunks: [
      { message: { role: "assistant", content: "", thinking: "Hmm." }, done: false },
      { message: { role: "assistant", content: "Yes." }, done: false },
    ],
  }]);
  const messages = [{ role: "user" as const, content: "x".repeat(400) }];
  const { deltas, reply } = await collectReply(model(server), modelRequest({ messages }));
  assert.deepEqual([reply.usage?.inputTokens, reply.usage?.outputTokens], [100, 5]);
  assert.deepEqual(deltas.map((delta) => delta.type), ["progress", "text", "progress", "usage"]);
  assert.equal(reply.message.content, "Yes.");
});

Deno.test("OllamaModel accepts arguments as text, and ids from the server", async () => {
  await using server = new OllamaServer([{
    chunks: [
      { message: { tool_calls: [{ id: "x", function: { name: "a", arguments: '{"p":1}' } }] } },
      { message: { tool_calls: [{ function: { name: "a" } }, null] } },
    ],
  }]);
  const { reply } = await collectReply(model(server));
  assert.equal(reply.stop, "tool_calls");
  assert.deepEqual(reply.message.toolCalls[0], { id: "x", name: "a", arguments: '{"p":1}' });
  assert.equal(reply.message.toolCalls[1]?.arguments, "{}");
  assert.equal(reply.message.toolCalls.length, 2);
});

Deno.test("OllamaModel converts finish reasons", async () => {
  for (const [finish, stop] of [["stop", "end"], ["length", "length"], ["load", "unknown"]]) {
    await using server = new OllamaServer([{ text: "a", finish: finish ?? null }]);
    assert.equal((await collectReply(model(server))).reply.stop, stop);
  }
});

Deno.test("OllamaModel reads errors before and inside the stream", async () => {
  await using server = new OllamaServer([
    { status: 404, body: '{"error":"model \\"m\\" not found, try pulling it first"}' },
    { text: "half", chunks: [{ error: "out of memory" }], then: "end" },
  ]);
  const missing = await failureOf(model(server));
  assert.equal(missing.message, 'ollama answered 404: model "m" not found, try pulling it first');
  assert.equal(missing.retryable, false);
  const broken = await failureOf(model(server));
  assert.equal(broken.message, "ollama broke off its reply: out of memory");
  assert.equal(broken.retryable, true);
});
