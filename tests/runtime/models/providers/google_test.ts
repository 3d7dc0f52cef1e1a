import assert from "node:assert/strict";
import {
  createModel,
  GoogleReplyAssembler,
  toGooglePrompt,
} from "../../../../runtime/models/providers/google.ts";
import type { Message } from "../../../../runtime/models/message.ts";
import type { Model, ModelReply } from "../../../../runtime/models/model.ts";
import { collectReply, failureOf, modelRequest } from "../../../support/collect_reply.ts";
import { GoogleServer } from "../../../support/models/google_server.ts";
import { TestClock } from "../../../support/test_clock.ts";

const OWNER = { format: "google", model: "m" };

function model(server: GoogleServer): Model {
  const clock = new TestClock();
  const baseUrl = server.origin;
  return createModel({
    adapter: "google",
    streamUsage: true,
    id: "google/m",
    name: "m",
    baseUrl,
    apiKey: "k",
    clock,
  });
}

function replyFrom(...chunks: unknown[]): ModelReply {
  const assembly = new GoogleReplyAssembler(OWNER);
  for (const chunk of chunks) assembly.add(chunk);
  return assembly.finish() ?? assert.fail("the reply is not finished");
}

function parts(...content: unknown[]): unknown {
  return { candidates: [{ content: { role: "model", parts: content } }] };
}

function end(finishReason: string): unknown {
  return { candidates: [{ finishReason }] };
}

Deno.test("GoogleModel sends prompt, tools and limits in the API's format, without empty fields", async () => {
  await using server = new GoogleServer([{ text: "ok" }, { text: "ok", usage: null }]);
  const parameters = { type: "object", properties: {}, additionalProperties: false };
  await collectReply(
    model(server),
    modelRequest({
      messages: [{ role: "system", content: "Be brief." }, { role: "user", content: "Hi" }],
      tools: [{ name: "a", description: "A.", parameters }],
      temperature: 0.3,
      maxTokens: 77,
    }),
  );
  assert.deepEqual(server.request(0).body, {
    contents: [{ role: "user", parts: [{ text: "Hi" }] }],
    systemInstruction: { role: "user", parts: [{ text: "Be brief." }] },
    tools: [{
      functionDeclarations: [{ name: "a", description: "A.", parametersJsonSchema: parameters }],
    }],
    generationConfig: { temperature: 0.3, maxOutputTokens: 77 },
  });
  const bare = await collectReply(model(server), modelRequest({ temperature: undefined }));
  const contents = [{ role: "user", parts: [{ text: "Hello" }] }];
  const generationConfig = { maxOutputTokens: 4096 };
  assert.deepEqual(server.request(1).body, { contents, generationConfig });
  assert.equal(bare.reply.usage, null);
});

Deno.test("GoogleReplyAssembler counts thinking as output and the cache as part of the input", () => {
  const { usage } = replyFrom(
    { usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 1 } },
    {
      ...Object(end("STOP")),
      usageMetadata: {
        promptTokenCount: 100,
        toolUsePromptTokenCount: 7,
        candidatesTokenCount: 20,
        thoughtsTokenCount: 30,
        cachedContentTokenCount: 64,
        totalTokenCount: 157,
      },
    },
  );
  const expected = { inputTokens: 107, outputTokens: 50, cacheReadTokens: 64, cacheWriteTokens: 0 };
  assert.deepEqual(usage, expected);
});

Deno.test("GoogleReplyAssembler keeps thought signatures for its own model", () => {
  const call = { functionCall: { name: "read", args: { path: "a" } }, thoughtSignature: "s2" };
  const { message, stop } = replyFrom(
    parts({ text: "Hmm.", thought: true }),
    parts({ text: "Read" }),
    parts({ text: "ing." }),
    parts({ text: "", thoughtSignature: "s1" }),
    parts(call, { functionCall: { name: "read", args: { path: "b" } } }),
    end("STOP"),
  );
  assert.deepEqual([stop, message.content], ["tool_calls", "Reading."]);
  assert.equal(new Set(message.toolCalls.map(({ id }) => id)).size, 2);
  const functionCall = { name: "read", args: { path: "b" } };
  const kept = [{ text: "Reading." }, { text: "", thoughtSignature: "s1" }, call, { functionCall }];
  assert.deepEqual(message.providerData, { format: "google", model: "m", blocks: kept });
  const messages: Message[] = [
    { role: "user", content: "Go" },
    message,
    ...message.toolCalls.map(({ id, name }): Message => ({
      role: "tool",
      toolCallId: id,
      toolName: name,
      content: "A",
      isError: false,
    })),
  ];
  const own = toGooglePrompt({ messages, tools: [] }, OWNER).contents;
  assert.deepEqual(own[1], { role: "model", parts: kept });
  // The runtime created these ids, so the request must not contain them.
  const functionResponse = { name: "read", response: { output: "A" } };
  assert.deepEqual(own[2]?.parts?.[0], { functionResponse });
  const foreign = toGooglePrompt({ messages, tools: [] }, { ...OWNER, model: "other" }).contents;
  assert.deepEqual(foreign[1]?.parts?.[1], { functionCall: { name: "read", args: { path: "a" } } });
});

Deno.test("GoogleReplyAssembler converts finish reasons", () => {
  const cases = [
    ["STOP", "end"],
    ["MAX_TOKENS", "length"],
    ["SAFETY", "content_filter"],
    ["RECITATION", "content_filter"],
    ["PROHIBITED_CONTENT", "content_filter"],
    ["OTHER", "unknown"],
    ["GONE_FISHING", "unknown"],
  ] as const;
  for (const [reason, stop] of cases) assert.equal(replyFrom(end(reason)).stop, stop);
  const blocked = replyFrom({ promptFeedback: { blockReason: "SAFETY" } });
  assert.equal(blocked.stop, "content_filter");
});

Deno.test("GoogleReplyAssembler throws a retryable error for a malformed call", () => {
  for (const reason of ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"]) {
    assert.throws(() => replyFrom(end(reason)), {
      name: "ModelError",
      retryable: true,
      message: /^google could not finish its reply: (malformed|unexpected) /,
    });
  }
});

Deno.test("GoogleReplyAssembler accepts unusual chunks", () => {
  const { message } = replyFrom(
    null,
    {},
    { candidates: [] },
    { candidates: [{ content: {} }] },
    parts({ functionCall: { id: "x", name: "a" } }),
    parts({ functionCall: { id: "x", name: "b", args: null } }),
    parts({ functionCall: {} }, 5),
    end("STOP"),
  );
  const expected = [["a", "{}"], ["b", "{}"], ["", "{}"]];
  assert.deepEqual(message.toolCalls.map((call) => [call.name, call.arguments]), expected);
  assert.equal(new Set(message.toolCalls.map(({ id }) => id)).size, 3);
});

Deno.test("GoogleModel reads the wait from an error's details, and an error inside the stream", async () => {
  const error = {
    code: 429,
    message: "Quota exceeded",
    details: [{ "@type": "x" }, {
      "@type": "type.googleapis.com/google.rpc.RetryInfo",
      retryDelay: "17.5s",
    }],
  };
  const inside = { error: { code: 503, message: "Overloaded", status: "UNAVAILABLE" } };
  await using server = new GoogleServer([
    { status: 429, body: JSON.stringify({ error }) },
    { text: "half", chunks: [inside], then: "end" },
    { raw: JSON.stringify(inside, null, 2), then: "end" },
  ]);
  const failure = await failureOf(model(server));
  assert.equal(failure.message, "google answered 429: Quota exceeded");
  assert.deepEqual([failure.retryAfterMs, failure.retryable], [17_500, true]);
  // The error arrives with and without the `data:` prefix of an event.
  for (let attempt = 0; attempt < 2; attempt++) {
    const { message, retryable } = await failureOf(model(server));
    assert.deepEqual([message, retryable], ["google answered 503: Overloaded", true]);
  }
});
