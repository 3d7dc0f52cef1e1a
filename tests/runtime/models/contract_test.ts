// Tests the contract of all adapters, each with a local server for its format.
import assert from "node:assert/strict";
import { PROVIDERS } from "../../../runtime/config/providers.ts";
import { modelEndpoint } from "../../../runtime/models/endpoint.ts";
import type { Message } from "../../../runtime/models/message.ts";
import { collectReply, failureOf, modelRequest } from "../../support/collect_reply.ts";
import type { Adapter } from "../../support/models/model_adapters.ts";
import { ADAPTERS, KEY, open, openPatient } from "../../support/models/model_adapters.ts";
import type { ModelStep } from "../../support/models/model_server.ts";
import { until } from "../../support/until.ts";

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

function contract(name: string, check: (adapter: Adapter) => Promise<void>): void {
  for (const adapter of ADAPTERS) Deno.test(`${adapter.provider} ${name}`, () => check(adapter));
}

Deno.test("the contract has examples of each adapter that sends requests", () => {
  const sending = Object.values(PROVIDERS).filter(({ url }) => url !== "");
  const tested = ADAPTERS.map(({ provider }) =>
    modelEndpoint({ provider, name: "m", baseUrl: "http://h", streamUsage: true }).adapter
  );
  assert.deepEqual(new Set(tested), new Set(sending.map(({ adapter }) => adapter)));
});

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
  assert.deepEqual([reply.stop, reply.message.content], ["tool_calls", "Reading."]);
  const expected = [["read", '{"path":"a"}'], ["read", '{"path":"b"}']];
  assert.deepEqual(reply.message.toolCalls.map((call) => [call.name, call.arguments]), expected);
  assert.equal(new Set(reply.message.toolCalls.map((call) => call.id)).size, 2);
  const sent = JSON.stringify(server.request(0).body);
  assert.ok(sent.includes('"name":"read"') && sent.includes('"properties":{"path"'), sent);
});

contract(
  "sends results and their instructions in an order that its endpoint accepts",
  async (adapter) => {
    await using server = adapter.serve([TWO_CALLS, { text: "Done." }, { text: "Done." }]);
    const model = await open(adapter, server);
    const messages: Message[] = [{ role: "user", content: "Read both." }];
    const { reply } = await collectReply(model, modelRequest({ messages, tools: TOOLS }));
    const [first, second] = reply.message.toolCalls;
    const results = [result(first?.id, "A", false), result(second?.id, "Error: gone", true)];
    messages.push(reply.message, ...results);
    const { text } = await collectReply(model, modelRequest({ messages, tools: TOOLS }));
    assert.equal(text, "Done.");
    assert.deepEqual(adapter.messagesOf(server.request(1).body), adapter.roundTrip);
    for (const content of ["One", "Two"]) messages.push({ role: "user", content, injected: true });
    await collectReply(model, modelRequest({ messages, tools: TOOLS }));
    const sent = adapter.messagesOf(server.request(2).body);
    assert.ok(Array.isArray(sent));
    assert.deepEqual(sent.slice(2), adapter.instructed);
    server.assertDone();
  },
);

function result(id: string | undefined, content: string, isError: boolean): Message {
  return { role: "tool", toolCallId: id ?? "", toolName: "read", content, isError };
}

for (const step of [{ silent: true }, { text: "half", then: "hang" }] as ModelStep[]) {
  const when = step.silent ? "before the reply" : "during the reply";
  contract(`closes the connection when a call is cancelled ${when}`, async (adapter) => {
    await using server = adapter.serve([step]);
    const controller = new AbortController();
    const reason = new Error("enough");
    const call = collectReply(await open(adapter, server), modelRequest(), {
      signal: controller.signal,
      onDelta: (delta) => delta.type === "text" && controller.abort(reason),
    });
    const ended = assert.rejects(call, (error) => error === reason);
    if (step.silent) void server.received(1).then(() => controller.abort(reason));
    await ended;
    if (!step.silent) await server.request(0).disconnected;
  });
}

contract("closes the connection when the reader stops", async (adapter) => {
  await using server = adapter.serve([{ text: "half", then: "hang" }]);
  const stream = (await open(adapter, server))
    .generate(modelRequest(), { signal: new AbortController().signal });
  for await (const delta of stream) if (delta.type === "text") break;
  await server.request(0).disconnected;
});

contract("fails at once when the key is refused, and does not show the key", async (adapter) => {
  const body = adapter.errorBody(`Key ${KEY} is not valid`);
  await using server = adapter.serve([{ status: 401, body }]);
  const { model, log } = await openPatient(adapter, server);
  const error = await failureOf(model);
  assert.equal(error.message, `${adapter.provider} answered 401: Key [key] is not valid`);
  assert.deepEqual([error.status, error.retryable], [401, false]);
  assert.deepEqual(log, []);
  server.assertDone();
});

contract("is called again without the temperature that it refuses", async (adapter) => {
  const body = adapter.errorBody("`temperature` is not supported with this model");
  await using server = adapter.serve([{ status: 400, body }, { text: "ok" }, { text: "ok" }]);
  const { model } = await openPatient(adapter, server);
  assert.equal((await collectReply(model)).text, "ok");
  await collectReply(model);
  const isWarm = server.requests.map(({ body }) =>
    JSON.stringify(body).includes('"temperature":0.7')
  );
  assert.deepEqual(isWarm, [true, false, false]);
});

contract(
  "waits as long as Retry-After says, and retries after a server's error",
  async (adapter) => {
    const body = adapter.errorBody(`Slow down, ${KEY}`);
    await using server = adapter.serve([
      { status: 429, body, headers: { "retry-after": "7" } },
      { status: 500, body: adapter.errorBody("Oops") },
      { text: "ok" },
    ]);
    const { model, clock, log } = await openPatient(adapter, server);
    const call = collectReply(model);
    await until(() => log.length === 1, "the wait began");
    await clock.advance(6_999);
    assert.equal(server.requests.length, 1);
    await clock.advance(1);
    await until(() => log.length === 2, "the second wait began");
    await clock.advance(2_000);
    assert.equal((await call).text, "ok");
    assert.equal(clock.sleeping, 0);
    assert.match(log[0] ?? "", /trying again .*"wait":"7\.0s".*answered 429: Slow down, \[key\]/);
  },
);

for (const then of ["cut", "end"] as const) {
  contract(
    `retries after a stream that was cut off (${then}), with a notice`,
    async (adapter) => {
      await using server = adapter.serve([{ text: "half", then }, { text: "whole" }]);
      const { model, clock, log } = await openPatient(adapter, server);
      const call = collectReply(model);
      await until(() => log.length === 1, "the wait began");
      await clock.advance(1_000);
      const { text, deltas, reply } = await call;
      const seen = deltas.flatMap((one) =>
        one.type === "text" ? one.text : one.type === "restart" ? ["restart"] : []
      );
      assert.deepEqual(seen, ["half", "restart", "whole"]);
      assert.deepEqual([text, reply.message.content], ["whole", "whole"]);
      assert.match(log[0] ?? "", /did not finish its reply: the stream ended early/);
    },
  );
}

contract("treats garbage as a stream that was cut off", async (adapter) => {
  for (const raw of ["\u0000\u0001 garbage", "data: {not json\n\n", '[1, "two"]\n', ""]) {
    await using server = adapter.serve([{ raw, then: "end" }]);
    const error = await failureOf(await open(adapter, server));
    assert.equal(error.retryable, true);
    assert.match(error.message, /the stream ended early/);
  }
});

contract("reports a web page as a wrong address", async (adapter) => {
  const page = { body: "<p>Hello</p>", headers: { "content-type": "text/html" } };
  await using server = adapter.serve([page]);
  const error = await failureOf(await open(adapter, server));
  assert.equal(error.retryable, false);
  assert.match(error.message, /answered with text\/html instead of a streamed reply.*Hello/);
});

contract("reports an error response in another format", async (adapter) => {
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

contract("reports the address to which it could not connect", async (adapter) => {
  await using server = adapter.serve([]);
  const model = await open(adapter, server);
  await server[Symbol.asyncDispose]();
  const error = await failureOf(model);
  assert.equal(error.retryable, true);
  assert.match(error.message, /^Cannot reach \w+ at http:\/\/127\.0\.0\.1:\d+/);
});

contract("sends only the headers of its format", async (adapter) => {
  await using server = adapter.serve([{ text: "ok" }]);
  await collectReply(await open(adapter, server));
  const names = [...server.request(0).headers.keys()].toSorted();
  const known = [
    ...["accept", "accept-encoding", "accept-language", "anthropic-version", "authorization"],
    ...["content-length", "content-type", "host", "user-agent", "x-api-key", "x-goog-api-key"],
  ];
  assert.deepEqual(names.filter((name) => !known.includes(name)), []);
  assert.equal(server.request(0).headers.get("user-agent"), "inkling");
});

contract("refuses a reply with more than 1,000 tool calls", async (adapter) => {
  const toolCalls = Array.from({ length: 1_001 }, (_, index) => (
    { id: `c${index}`, name: "read", arguments: {} }
  ));
  await using server = adapter.serve([{ toolCalls }]);
  const call = collectReply(await open(adapter, server));
  await assert.rejects(call, /more than 1000 tool calls/);
});
