// What every adapter owes the runtime, through its real package, against a server on this machine that speaks its format.
import assert from "node:assert/strict";
import type { JsonObject } from "../../runtime/json.ts";
import type { Message } from "../../runtime/models/message.ts";
import type { Model } from "../../runtime/models/model.ts";
import { resolveModel } from "../../runtime/models/resolve.ts";
import { ReplyTimeout, withRetry } from "../../runtime/models/retry.ts";
import { AnthropicServer } from "../support/anthropic_server.ts";
import { collectReply, failureOf, modelRequest } from "../support/collect_reply.ts";
import { GoogleServer } from "../support/google_server.ts";
import type { ModelServer, ModelStep, ReceivedRequest } from "../support/model_server.ts";
import { OllamaServer } from "../support/ollama_server.ts";
import { OpenAiServer } from "../support/openai_server.ts";
import { TestClock } from "../support/test_clock.ts";
import { until } from "../support/until.ts";

const KEY = "sk-distinctive-0123456789";

/** One adapter under contract. */
interface Adapter {
  provider: string;
  serve: (steps: ModelStep[]) => ModelServer;
  /** Where the key stands in a request. */
  keyOf: (request: ReceivedRequest) => string | null;
  path: string;
  /** The body of an error with this message. */
  errorBody: (message: string) => string;
  /** The messages of a request about the round trip of two calls, as this format writes them. */
  roundTrip: unknown;
  messagesOf: (body: JsonObject) => unknown;
}

const bearer = (request: ReceivedRequest) => request.headers.get("authorization");
const openAiError = (message: string) => JSON.stringify({ error: { message } });

const openAiRoundTrip = [
  { role: "user", content: "Read both." },
  {
    role: "assistant",
    content: "Reading.",
    tool_calls: [
      { id: "c0", type: "function", function: { name: "read", arguments: '{"path":"a"}' } },
      { id: "c1", type: "function", function: { name: "read", arguments: '{"path":"b"}' } },
    ],
  },
  { role: "tool", tool_call_id: "c0", content: "A" },
  { role: "tool", tool_call_id: "c1", content: "Error: gone" },
];

const ADAPTERS: Adapter[] = [
  ...["openai", "mine", "local"].map((provider): Adapter => ({
    provider,
    serve: (steps) => new OpenAiServer(steps),
    keyOf: bearer,
    path: "/v1/chat/completions",
    errorBody: openAiError,
    roundTrip: openAiRoundTrip,
    messagesOf: (body) => body.messages,
  })),
  {
    provider: "anthropic",
    serve: (steps) => new AnthropicServer(steps),
    keyOf: (request) => request.headers.get("x-api-key"),
    path: "/v1/messages",
    errorBody: (message) =>
      JSON.stringify({ type: "error", error: { type: "some_error", message } }),
    roundTrip: [
      { role: "user", content: [{ type: "text", text: "Read both." }] },
      {
        role: "assistant",
        content: [
          { type: "text", text: "Reading." },
          { type: "tool_use", id: "c0", name: "read", input: { path: "a" } },
          { type: "tool_use", id: "c1", name: "read", input: { path: "b" } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "c0", content: [{ type: "text", text: "A" }] },
          {
            type: "tool_result",
            tool_use_id: "c1",
            content: [{ type: "text", text: "Error: gone" }],
            is_error: true,
          },
        ],
      },
    ],
    messagesOf: (body) => body.messages,
  },
  {
    provider: "google",
    serve: (steps) => new GoogleServer(steps),
    keyOf: (request) => request.headers.get("x-goog-api-key"),
    path: "/v1beta/models/m:streamGenerateContent",
    errorBody: (message) => JSON.stringify({ error: { code: 400, message, status: "SOME" } }),
    roundTrip: [
      { role: "user", parts: [{ text: "Read both." }] },
      {
        role: "model",
        parts: [
          { text: "Reading." },
          { functionCall: { id: "c0", name: "read", args: { path: "a" } } },
          { functionCall: { id: "c1", name: "read", args: { path: "b" } } },
        ],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { id: "c0", name: "read", response: { output: "A" } } },
          { functionResponse: { id: "c1", name: "read", response: { error: "Error: gone" } } },
        ],
      },
    ],
    messagesOf: (body) => body.contents,
  },
  {
    provider: "ollama",
    serve: (steps) => new OllamaServer(steps),
    keyOf: bearer,
    path: "/api/chat",
    errorBody: (message) => JSON.stringify({ error: message }),
    roundTrip: [
      { role: "user", content: "Read both." },
      {
        role: "assistant",
        content: "Reading.",
        tool_calls: [
          { function: { name: "read", arguments: { path: "a" } } },
          { function: { name: "read", arguments: { path: "b" } } },
        ],
      },
      { role: "tool", tool_name: "read", content: "A" },
      { role: "tool", tool_name: "read", content: "Error: gone" },
    ],
    messagesOf: (body) => body.messages,
  },
];

const TWO_CALLS: ModelStep = {
  text: "Reading.",
  toolCalls: [
    { id: "c0", name: "read", arguments: { path: "a" } },
    { id: "c1", name: "read", arguments: { path: "b" } },
  ],
};

const TOOLS = [{
  name: "read",
  description: "Reads.",
  parameters: { type: "object", properties: { path: { type: "string" } } },
}];

/** A model of this adapter against its server, as the runtime resolves it. */
function open(
  adapter: Adapter,
  server: ModelServer,
  clock = new TestClock(),
): Promise<Model> {
  return resolveModel(
    { provider: adapter.provider, name: "m", baseUrl: server.origin, streamUsage: true },
    {
      environment: { get: () => KEY, secrets: () => [] },
      environmentFile: "/nowhere/.env",
      clock,
      pinKeys: false,
      log: { write: () => {} },
    },
  );
}

/** The same model with patience, and what its log says. */
async function openPatient(
  adapter: Adapter,
  server: ModelServer,
): Promise<{ model: Model; clock: TestClock; log: string[] }> {
  const clock = new TestClock();
  const log: string[] = [];
  const model = withRetry(await open(adapter, server, clock), {
    clock,
    timeoutMs: 300_000,
    log: { write: (_level, message, fields) => log.push(`${message} ${JSON.stringify(fields)}`) },
    random: () => 0.5,
  });
  return { model, clock, log };
}

function contract(name: string, check: (adapter: Adapter) => Promise<void>): void {
  for (const adapter of ADAPTERS) Deno.test(`${adapter.provider} ${name}`, () => check(adapter));
}

contract("answers with text as it streams, and with its usage", async (adapter) => {
  await using server = adapter.serve([{ text: ["Grüße, ", "", "world 🌍"] }]);
  const { deltas, text, reply } = await collectReply(await open(adapter, server));
  assert.equal(text, "Grüße, world 🌍");
  assert.ok(deltas.filter((delta) => delta.type === "text").length >= 2);
  assert.deepEqual(reply, {
    message: { role: "assistant", content: "Grüße, world 🌍", toolCalls: [] },
    stop: "end",
    usage: { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0 },
    reportedCostUsd: null,
  });
  const request = server.request(0);
  assert.equal(request.method, "POST");
  assert.equal(request.path, adapter.path);
  assert.match(adapter.keyOf(request) ?? "", new RegExp(`^(Bearer )?${KEY}$`));
});

contract("returns two parallel tool calls with ids of their own", async (adapter) => {
  await using server = adapter.serve([TWO_CALLS]);
  const { reply } = await collectReply(await open(adapter, server), modelRequest({ tools: TOOLS }));
  assert.equal(reply.stop, "tool_calls");
  assert.equal(reply.message.content, "Reading.");
  assert.deepEqual(
    reply.message.toolCalls.map((call) => [call.name, call.arguments]),
    [["read", '{"path":"a"}'], ["read", '{"path":"b"}']],
  );
  assert.equal(new Set(reply.message.toolCalls.map((call) => call.id)).size, 2);
  const sent = JSON.stringify(server.request(0).body);
  assert.ok(sent.includes('"name":"read"') && sent.includes('"properties":{"path"'), sent);
});

contract("takes the results of tool calls back in its own words", async (adapter) => {
  await using server = adapter.serve([TWO_CALLS, { text: "Done." }]);
  const model = await open(adapter, server);
  const messages: Message[] = [{ role: "user", content: "Read both." }];
  const { reply } = await collectReply(model, modelRequest({ messages, tools: TOOLS }));
  const [first, second] = reply.message.toolCalls;
  messages.push(
    reply.message,
    result(first?.id, "A", false),
    result(second?.id, "Error: gone", true),
  );
  const { text } = await collectReply(model, modelRequest({ messages, tools: TOOLS }));
  assert.equal(text, "Done.");
  assert.deepEqual(adapter.messagesOf(server.request(1).body), adapter.roundTrip);
  server.assertDone();
});

function result(id: string | undefined, content: string, isError: boolean): Message {
  return { role: "tool", toolCallId: id ?? "", toolName: "read", content, isError };
}

contract("closes the connection when a cancel comes in the middle", async (adapter) => {
  await using server = adapter.serve([{ text: "half", then: "hang" }]);
  const controller = new AbortController();
  const reason = new Error("enough");
  const call = collectReply(await open(adapter, server), modelRequest(), {
    signal: controller.signal,
    onDelta: (delta) => delta.type === "text" && controller.abort(reason),
  });
  await assert.rejects(call, (error) => error === reason);
  await server.request(0).disconnected;
});

contract("closes the connection when nobody reads on", async (adapter) => {
  await using server = adapter.serve([{ text: "half", then: "hang" }]);
  const stream = (await open(adapter, server))
    .generate(modelRequest(), { signal: new AbortController().signal });
  for await (const delta of stream) if (delta.type === "text") break;
  await server.request(0).disconnected;
});

contract("fails at once when the key is refused, and keeps it to itself", async (adapter) => {
  const body = adapter.errorBody(`Key ${KEY} is not valid`);
  await using server = adapter.serve([{ status: 401, body }]);
  const { model, log } = await openPatient(adapter, server);
  const error = await failureOf(model);
  assert.equal(error.message, `${adapter.provider} answered 401: Key [key] is not valid`);
  assert.equal(error.status, 401);
  assert.equal(error.retryable, false);
  assert.deepEqual(log, []);
  server.assertDone();
});

contract("waits as long as Retry-After asks", async (adapter) => {
  const body = adapter.errorBody(`Slow down, ${KEY}`);
  await using server = adapter.serve([
    { status: 429, body, headers: { "retry-after": "7" } },
    { text: "ok" },
  ]);
  const { model, clock, log } = await openPatient(adapter, server);
  const call = collectReply(model);
  await until(() => log.length === 1, "the wait began");
  await clock.advance(6_999);
  assert.equal(server.requests.length, 1);
  await clock.advance(1);
  assert.equal((await call).text, "ok");
  assert.equal(clock.sleeping, 0);
  assert.equal(log.length, 1);
  assert.match(log[0] ?? "", /trying again .*"wait":"7\.0s".*answered 429: Slow down, \[key\]/);
});

contract("tries again after a server's error", async (adapter) => {
  await using server = adapter.serve([
    { status: 500, body: adapter.errorBody("Oops") },
    { text: "ok" },
  ]);
  const { model, clock, log } = await openPatient(adapter, server);
  const call = collectReply(model);
  await until(() => log.length === 1, "the wait began");
  await clock.advance(1_000);
  assert.equal((await call).text, "ok");
});

for (const then of ["cut", "end"] as const) {
  contract(
    `tries again after a stream that was cut off (${then}), and says so`,
    async (adapter) => {
      await using server = adapter.serve([{ text: "half", then }, { text: "whole" }]);
      const { model, clock, log } = await openPatient(adapter, server);
      const call = collectReply(model);
      await until(() => log.length === 1, "the wait began");
      await clock.advance(1_000);
      const { text, deltas, reply } = await call;
      assert.deepEqual(
        deltas.flatMap((delta) =>
          delta.type === "text" ? delta.text : delta.type === "restart" ? ["restart"] : []
        ),
        ["half", "restart", "whole"],
      );
      assert.equal(text, "whole");
      assert.equal(reply.message.content, "whole");
      assert.match(log[0] ?? "", /did not finish its reply: the stream ended early/);
    },
  );
}

contract("takes garbage for a stream that was cut off", async (adapter) => {
  for (const raw of ["\u0000\u0001 garbage", "data: {not json\n\n", '[1, "two"]\n', ""]) {
    await using server = adapter.serve([{ raw, then: "end" }]);
    const error = await failureOf(await open(adapter, server));
    assert.equal(error.retryable, true);
    assert.match(error.message, /the stream ended early/);
  }
});

contract("takes a web page for a wrong address", async (adapter) => {
  await using server = adapter.serve([
    { body: "<p>Hello</p>", headers: { "content-type": "text/html" } },
  ]);
  const error = await failureOf(await open(adapter, server));
  assert.equal(error.retryable, false);
  assert.match(error.message, /answered with text\/html instead of a streamed reply.*Hello/);
});

contract("reads the error of a server that does not speak its format", async (adapter) => {
  await using server = adapter.serve([
    { status: 404, body: "not here", headers: { "content-type": "text/plain" } },
    { status: 400, body: "{broken" },
    { status: 403, body: "" },
  ]);
  const model = await open(adapter, server);
  for (const status of [404, 400, 403]) {
    const error = await failureOf(model);
    assert.equal(error.status, status);
    assert.match(error.message, new RegExp(`^${adapter.provider} answered ${status}`));
  }
});

contract("says where it could not connect", async (adapter) => {
  await using server = adapter.serve([]);
  const model = await open(adapter, server);
  await server[Symbol.asyncDispose]();
  const error = await failureOf(model);
  assert.equal(error.retryable, true);
  assert.match(error.message, /^Cannot reach \w+ at http:\/\/127\.0\.0\.1:\d+/);
});

for (const step of [{ silent: true }, { text: "half", then: "hang" }] as ModelStep[]) {
  const how = step.silent ? "before a word" : "in the middle";
  contract(`ends with ReplyTimeout when the server hangs ${how}`, async (adapter) => {
    await using server = adapter.serve([step]);
    const clock = new TestClock();
    const model = withRetry(await open(adapter, server, clock), {
      clock,
      timeoutMs: 90_000,
      log: { write: () => {} },
    });
    const texts: string[] = [];
    const call = collectReply(model, modelRequest(), {
      onDelta: (delta) => texts.push(delta.type),
    });
    const ended = assert.rejects(call, (error) => {
      assert.ok(error instanceof ReplyTimeout);
      assert.equal(error.message, "Timeout after 90s");
      return true;
    });
    await server.received(1);
    if (!step.silent) await until(() => texts.includes("text"), "text came");
    await clock.advance(90_000);
    await ended;
    if (!step.silent) await server.request(0).disconnected;
    assert.equal(clock.sleeping, 0);
  });
}

contract("sends no header of the shell's", async (adapter) => {
  await using server = adapter.serve([{ text: "ok" }]);
  await collectReply(await open(adapter, server));
  const names = [...server.request(0).headers.keys()].toSorted();
  const known = [
    "accept",
    "accept-encoding",
    "accept-language",
    "anthropic-version",
    "authorization",
    "content-length",
    "content-type",
    "host",
    "user-agent",
    "x-api-key",
    "x-goog-api-key",
  ];
  assert.deepEqual(names.filter((name) => !known.includes(name)), []);
  assert.equal(server.request(0).headers.get("user-agent"), "inkling");
});
