// Tests refusals with the error texts of many endpoints, and the changed calls that follow them. Models are opened for each
// run, as a service does.
import assert from "node:assert/strict";
import type { JsonObject } from "../../../base/json.ts";
import type { ModelSettings } from "../../../runtime/agents/agent.ts";
import type { Message } from "../../../runtime/models/message.ts";
import { ModelSupply } from "../../../runtime/models/calls/model_supply.ts";
import { collectReply, failureOf, modelRequest } from "../../support/collect_reply.ts";
import { FREE_BILLING } from "../../support/models/free_billing.ts";
import { ADAPTERS } from "../../support/models/model_adapters.ts";
import type { ModelServer } from "../../support/models/model_server.ts";
import { OpenAiServer } from "../../support/models/openai_server.ts";
import { createTestAgent } from "../../support/test_agent.ts";
import { TestClock } from "../../support/test_clock.ts";
import { createTestWorkspace } from "../../support/test_workspace.ts";

const KEYS = {
  AZURE_API_KEY: "k",
  OPENAI_API_KEY: "k",
  ANTHROPIC_API_KEY: "k",
  GOOGLE_API_KEY: "k",
};

/** Opens one ModelSupply, and returns a function that starts runs of one model with it. */
async function openRuns(server: ModelServer, changes: Partial<ModelSettings> = {}) {
  const place = await createTestWorkspace({ shell: KEYS });
  const supply = new ModelSupply({
    gate: FREE_BILLING.gate,
    settings: await place.settings(),
    clock: new TestClock(),
    log: { write: () => {} },
  });
  const model = { provider: "local", name: "m", baseUrl: server.origin, streamUsage: true };
  const agent = createTestAgent({ model: { ...model, ...changes } });
  return {
    run: () => supply.open(agent),
    limits: () => supply.describeLimits(agent),
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  };
}

const error = (message: string, more: JsonObject = {}) => ({ error: { message, ...more } });
const SCHEMA = {
  type: "object",
  properties: { pattern: { type: "string", pattern: "^a" }, mode: { oneOf: [{ const: 1 }] } },
  additionalProperties: false,
};
const THOUGHT: Message = {
  role: "assistant",
  content: "",
  toolCalls: [{ id: "c1", name: "read", arguments: "{}" }],
  providerData: { format: "openai", model: "azure/m", blocks: [{ reasoning_content: "Hm." }, {}] },
};
const REQUEST = modelRequest({
  messages: [
    { role: "user", content: "Read." },
    THOUGHT,
    { role: "tool", toolCallId: "c1", toolName: "read", content: "A", isError: false },
  ],
  tools: [{ name: "read", description: "Reads.", parameters: SCHEMA }],
});

/** Cases of refused parts of a request. `then` matches the replacement in every later call. */
const REFUSALS: { refused: string; body: unknown; then?: RegExp; status?: number }[] = [
  {
    refused: '"max_tokens"',
    body: error(
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      { param: "max_tokens", code: "unsupported_parameter" },
    ),
    then: /"max_completion_tokens":4096/,
  },
  {
    refused: '"stream_options"',
    body: {
      detail: [{
        ...{ type: "extra_forbidden", loc: ["body", "stream_options"] },
        msg: "Extra inputs are not permitted",
      }],
    },
    status: 422,
  },
  {
    refused: '"stream_options"',
    body: { object: "error", message: "stream_options is unknown" },
  },
  { refused: '"temperature"', body: error("invalid temperature: only 1 is allowed") },
  {
    refused: "additionalProperties",
    body: [error(
      `Invalid JSON payload received. Unknown name "additionalProperties" at 'tools[0].parameters'`,
    )],
    then: /"pattern":\{"type":"string","pattern"/,
  },
  {
    refused: "oneOf",
    body: error("Invalid schema for function 'read': In context=(), 'oneOf' is not permitted.", {
      code: "invalid_function_parameters",
    }),
    then: /"mode":\{\}/,
  },
  {
    refused: "^a",
    body: error("Unsupported JSON schema keyword: pattern"),
    then: /"pattern":\{"type":"string"\}/,
  },
  {
    refused: '"reasoning_content":"Hm."',
    body: error("'messages.1' : property 'reasoning_content' is unsupported"),
  },
];

for (const { refused, body, then = /./, status = 400 } of REFUSALS) {
  const told = JSON.stringify(body);
  Deno.test(`a refused part is omitted in this run and later runs: ${told}`, async () => {
    const refusal = { status, body: told };
    await using server = new OpenAiServer([refusal, { text: "ok" }, { text: "ok" }]);
    await using runs = await openRuns(server, { provider: "azure" });
    for (const _run of [1, 2]) {
      assert.equal((await collectReply(await runs.run(), REQUEST)).text, "ok");
    }
    const [one = "", ...others] = server.requests.map(({ body }) => JSON.stringify(body));
    assert.ok(one.includes(refused), one);
    for (const other of others) {
      assert.ok(!other.includes(refused), other);
      assert.match(other, then);
    }
    assert.match(runs.limits().join(), /^Model azure\/m: it refuses /);
    server.assertDone();
  });
}

Deno.test("a twice refused call fails, and a field that the endpoint requires is added", async () => {
  const refusal = { status: 400, body: JSON.stringify(error("Unknown parameter: stream_options")) };
  await using server = new OpenAiServer([refusal, refusal]);
  await using runs = await openRuns(server);
  assert.match((await failureOf(await runs.run())).message, /stream_options/);
  const missing = "The `reasoning_content` in the thinking mode must be passed back to the API.";
  server.push({ status: 400, body: JSON.stringify(error(missing)) }, { text: "ok" });
  await collectReply(await runs.run(), REQUEST);
  assert.match(JSON.stringify(server.requests.at(-1)?.body), /"reasoning_content":" "/);
  server.assertDone();
});

const TURNS = (count: number, length: number): Message[] =>
  Array.from({ length: count }, (_, turn): Message[] => [
    { role: "user", content: `Question ${turn}` },
    { role: "assistant", content: `Answer ${turn} ${"word ".repeat(length / 5)}`, toolCalls: [] },
  ]).flat();
const RESULT = (length: number): Message[] => [
  { role: "user", content: "Read it." },
  { ...THOUGHT, providerData: {} },
  {
    role: "tool",
    toolCallId: "c1",
    toolName: "read",
    content: "x ".repeat(length / 2),
    isError: false,
  },
];

/** Error texts of endpoints about a conversation that is too long. */
const TOO_LONG: [body: unknown, status?: number][] = [
  [error("Too long.", { code: "context_length_exceeded" })],
  [{
    object: "error",
    message:
      "This model's maximum context length is 8192 tokens. However, you requested 20000 tokens",
  }],
  [error("the request exceeds the available context size. try increasing it", {
    type: "exceed_context_size_error",
  })],
  [error("context size exceeded"), 500],
  ...[
    "This model's maximum prompt length is 8192 but the request contains 20000 tokens.",
    "Prompt contains 20000 tokens and 0 draft tokens, too large for model with 8192 maximum context length",
    "Invalid request: Your request exceeded model token limit: 8192",
    "Please reduce the length of the messages or completion.",
    "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 8192]",
    "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8192. Given: 20000",
  ].map((message): [unknown] => [error(message)]),
  ...[413, 429].map((status): [unknown, number] => [
    error("Request too large for m on tokens per minute (TPM): Limit 8000, Requested 20000"),
    status,
  ]),
];

for (const [body, status = 400] of TOO_LONG) {
  Deno.test(`a conversation that is too long is shortened: ${JSON.stringify(body)}`, async () => {
    await using server = new OpenAiServer(
      [],
      ({ messages }) =>
        JSON.stringify(messages).length > 30_000
          ? { status, body: JSON.stringify(body) }
          : { text: "ok" },
    );
    await using runs = await openRuns(server);
    const old = modelRequest({ messages: [...TURNS(9, 5_000), { role: "user", content: "Now" }] });
    const { deltas } = await collectReply(await runs.run(), old);
    assert.match(JSON.stringify(deltas[0]), /too long for the model.*earlier turns left out: \d/);
    const sent = server.requests.at(-1)?.body.messages as { role: string; content: string }[];
    assert.equal(sent[0]?.role, "user");
    assert.match(JSON.stringify(sent), /Answer 8.*Now/);
    const { length } = server.requests;
    // The next run knows the limit. One of its tool results alone fills the window.
    await collectReply(await runs.run(), old);
    assert.equal(server.requests.length, length + 1);
    await collectReply(await runs.run(), modelRequest({ messages: RESULT(60_000) }));
    assert.match(JSON.stringify(server.requests.at(-1)?.body), /this result had 60000 characters/);
  });
}

const FORMS: Record<string, string> = {
  anthropic: "prompt is too long: 20000 tokens > 8192 maximum",
  google: "The input token count (20000) exceeds the maximum number of tokens allowed (8192).",
  ollama: "prompt too long; exceeded max context length by 900 tokens",
};
for (const adapter of ADAPTERS.filter(({ provider }) => provider in FORMS)) {
  Deno.test(`${adapter.provider} gets a shorter conversation after it refused a long one`, async () => {
    const body = adapter.errorBody(FORMS[adapter.provider] ?? "");
    await using server = adapter.serve([{ status: 400, body }, { text: "ok" }]);
    await using runs = await openRuns(server, { provider: adapter.provider });
    await collectReply(
      await runs.run(),
      modelRequest({ messages: [...TURNS(9, 5_000), ...RESULT(100)] }),
    );
    const [before = 0, after = 0] = server.requests.map(({ body }) => JSON.stringify(body).length);
    assert.ok(after < before * 0.75 && after > 1_000, `${before} ${after}`);
    server.assertDone();
  });
}

Deno.test("the first call fits the window known from the settings or the price table", async () => {
  const tests: [Partial<ModelSettings>, number][] = [[{ contextWindow: 8_000 }, 0], [{
    provider: "openai",
    name: "gpt-4",
  }, 0], [{ provider: "openai", name: "gpt-4", contextWindow: 100_000 }, 18]];
  for (const [changes, least] of tests) {
    await using server = new OpenAiServer([{ text: "ok" }]);
    await using runs = await openRuns(server, changes);
    await collectReply(
      await runs.run(),
      modelRequest({ messages: [...TURNS(9, 5_000), ...RESULT(100)] }),
    );
    const { length } = server.request(0).body.messages as unknown[];
    assert.equal(length === 21, least === 18, `${JSON.stringify(changes)}: ${length}`);
  }
});

Deno.test("a conversation or a tool list that cannot be shortened fails with a remedy", async () => {
  const long = { status: 400, body: JSON.stringify(error("prompt is too long")) };
  await using server = new OpenAiServer([long]);
  await using runs = await openRuns(server);
  assert.match(
    (await failureOf(await runs.run())).message,
    /lower history.*set model\.context_window/,
  );
  server.push({
    status: 400,
    body: JSON.stringify(
      error("Invalid 'tools': array too long. Expected an array with maximum length 128"),
    ),
  });
  const { message } = await failureOf(await runs.run(), REQUEST);
  assert.match(message, /array too long.*select fewer tools of an MCP server/);
  server.assertDone();
});
