// Tests endpoints that ignore streaming and answer with one JSON document: replies, errors and other documents.
import assert from "node:assert/strict";
import type { JsonObject, JsonValue } from "../../../../base/json.ts";
import { collectReply, failureOf } from "../../../support/collect_reply.ts";
import { type Adapter, ADAPTERS, open } from "../../../support/models/model_adapters.ts";
import type { ModelServer, ModelStep } from "../../../support/models/model_server.ts";

/** A reply with a text and two calls, as one document in the wire format of each path. */
function documentOf({ path }: Adapter): JsonValue {
  const calls = [{ path: "a" }, {}].map((args) => ({ name: "read", arguments: args }));
  if (path === "/v1/messages") {
    const content = calls.map(({ name, arguments: input }, index) => (
      { type: "tool_use", id: `c${index}`, name, input }
    ));
    const usage = { input_tokens: 10, output_tokens: 5 };
    const text = { type: "text", text: "Grüße" };
    return {
      type: "message",
      role: "assistant",
      content: [text, ...content],
      stop_reason: "tool_use",
      usage,
    };
  }
  if (path.startsWith("/v1beta")) {
    const parts = calls.map(({ name, arguments: args }) => ({ functionCall: { name, args } }));
    const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5 };
    const first = { candidates: [{ content: { parts: [{ text: "Grü" }] } }] };
    const content = { parts: [{ text: "ße" }, ...parts] };
    return [first, { candidates: [{ content, finishReason: "STOP" }], usageMetadata }];
  }
  if (path === "/api/chat") {
    const tool_calls = calls.map((one) => ({ function: one }));
    const message = { role: "assistant", content: "Grüße", tool_calls };
    return { message, done: true, prompt_eval_count: 10, eval_count: 5 };
  }
  // Neither ids nor arguments: the second call would otherwise continue the first.
  const tool_calls = [
    { type: "function", function: { name: "read", arguments: '{"path":"a"}' } },
    { type: "function", function: { name: "read" } },
  ];
  const message = { role: "assistant", content: "Grüße", tool_calls };
  return {
    choices: [{ index: 0, message, finish_reason: "tool_calls" }],
    usage: { prompt_tokens: 10, completion_tokens: 5 },
  };
}

async function answering(
  adapter: Adapter,
  step: ModelStep,
  check: (model: Awaited<ReturnType<typeof open>>, server: ModelServer) => Promise<void>,
): Promise<void> {
  await using server = adapter.serve([step]);
  await check(await open(adapter, server), server);
}

const LABELS = [
  "application/json",
  "application/json; charset=utf-8",
  "text/plain",
  "text/event-stream",
];

for (const adapter of ADAPTERS) {
  const { provider } = adapter;
  Deno.test(`${provider} uses a reply that is one JSON document, whatever its label and lines`, async () => {
    for (const label of LABELS) {
      for (const indent of [0, 2]) {
        const body = JSON.stringify(documentOf(adapter), undefined, indent);
        await answering(adapter, { body, headers: { "content-type": label } }, async (model) => {
          const { reply, text } = await collectReply(model);
          assert.equal(text, "Grüße", label);
          assert.deepEqual([reply.message.content, reply.stop], ["Grüße", "tool_calls"]);
          const calls = reply.message.toolCalls.map(({ name, arguments: args }) => [name, args]);
          assert.deepEqual(calls, [["read", '{"path":"a"}'], ["read", "{}"]]);
          assert.equal(new Set(reply.message.toolCalls.map(({ id }) => id)).size, 2);
          assert.deepEqual([reply.usage?.inputTokens, reply.usage?.outputTokens], [10, 5]);
        });
      }
    }
  });

  Deno.test(`${provider} reports an error in a successful answer with its message and status`, async () => {
    const rows: [JsonObject, number | undefined, boolean][] = [
      [{ error: { message: "Slow down", code: 429 } }, 429, true],
      [{ error: { message: "Slow down", code: "too_many", status: 429 } }, 429, true],
      [{ error: { message: "Slow down", code: "401" } }, 401, false],
      [{ error: "Slow down", status: 503 }, 503, true],
      [{ message: "Slow down", code: 402, data: null }, 402, false],
      [{ error: { message: "Slow down", type: "invalid_request_error" } }, undefined, false],
      [{ error: { message: "Slow down" } }, undefined, true],
      [{ error: "Slow down" }, undefined, true],
    ];
    for (const [document, status, retryable] of rows) {
      const body = JSON.stringify(document, undefined, 2);
      await answering(adapter, { body }, async (model) => {
        const error = await failureOf(model);
        const start = status === undefined ? "answered with an error" : `answered ${status}`;
        assert.equal(error.message, `${provider} ${start}: Slow down`, body);
        assert.deepEqual([error.status, error.retryable], [status, retryable], body);
      });
    }
  });

  Deno.test(`${provider} reports a JSON document that is no reply, with the address`, async () => {
    for (const body of ['{"status":"running"}', "[]", '"ready"', "not json"]) {
      await answering(adapter, { body }, async (model, { origin }) => {
        const error = await failureOf(model);
        assert.equal(error.retryable, false);
        assert.match(
          error.message,
          /answered with application\/json instead of a streamed reply; check/,
        );
        assert.ok(error.message.includes(origin) && error.message.includes(body), error.message);
      });
    }
  });
}
