// Tests the schema of an answer in each wire format, and refusals of the schema.
import assert from "node:assert/strict";
import type { JsonObject, JsonSchema } from "../../../base/json.ts";
import { isStrict } from "../../../runtime/models/answer_schema.ts";
import type { ModelRequest } from "../../../runtime/models/model.ts";
import { boundInputTokens } from "../../../runtime/models/token_estimate.ts";
import { collectReply, failureOf, modelRequest } from "../../support/collect_reply.ts";
import { type Adapter, ADAPTERS, open, openPatient } from "../../support/models/model_adapters.ts";

const SCHEMA: JsonSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: { price: { type: "number" } },
  required: ["price"],
  additionalProperties: false,
};
const { $schema: _dialect, ...SENT } = SCHEMA;
const TOOLS = [{ name: "read", description: "Reads.", parameters: { type: "object" } }];
const SYSTEM = { role: "system" as const, content: "Be brief." };
const USER = { role: "user" as const, content: "How much?" };
const FREE = modelRequest({ messages: [SYSTEM, USER], schema: SCHEMA });
const WITH_TOOLS = modelRequest({ messages: [SYSTEM, USER], schema: SCHEMA, tools: TOOLS });
const REPAIR = modelRequest({
  tools: TOOLS,
  schema: SCHEMA,
  messages: [
    SYSTEM,
    USER,
    { role: "assistant", content: "Ten.", toolCalls: [] },
    { role: "user", content: "Answer again.", injected: true, repair: true },
  ],
});

/** Returns the part of a request body that contains the schema in the format of the provider. */
function parameterOf({ provider }: Adapter, body: JsonObject): unknown {
  switch (provider) {
    case "anthropic":
      return body["output_config"];
    case "google": {
      const { responseMimeType, responseJsonSchema } = body["generationConfig"] as JsonObject;
      return responseJsonSchema && { responseMimeType, responseJsonSchema };
    }
    case "ollama":
      return body["format"];
    default:
      return body["response_format"];
  }
}

const OPENAI_FORMAT = {
  type: "json_schema",
  json_schema: { name: "answer", schema: SENT, strict: true },
};
const PARAMETERS: Record<string, unknown> = {
  anthropic: { format: { type: "json_schema", schema: SENT } },
  google: { responseMimeType: "application/json", responseJsonSchema: SENT },
  ollama: SENT,
};
/** The providers whose servers may enforce a schema by a grammar, which prevents tool calls. */
const GRAMMAR = ["mine", "local", "ollama"];

const saysItInWords = (body: JsonObject) =>
  JSON.stringify(body).includes("answer with JSON that fits this JSON Schema, and nothing else");

async function sentBy(adapter: Adapter, request: ModelRequest): Promise<JsonObject> {
  await using server = adapter.serve([{ text: '{"price":10}' }]);
  await collectReply(await open(adapter, server), request);
  return server.request(0).body;
}

for (const adapter of ADAPTERS) {
  const { provider } = adapter;
  const parameter = PARAMETERS[provider] ?? OPENAI_FORMAT;
  const isGrammar = GRAMMAR.includes(provider);

  Deno.test(`${provider} gets the schema of the answer in its own parameter`, async () => {
    for (const request of [FREE, REPAIR]) {
      const body = await sentBy(adapter, request);
      assert.deepEqual(parameterOf(adapter, body), parameter);
      assert.equal(saysItInWords(body), isGrammar);
    }
    const plain = await sentBy(adapter, modelRequest());
    assert.equal(parameterOf(adapter, plain), undefined);
    assert.ok(!saysItInWords(plain));
  });

  Deno.test(`${provider} can call tools with a schema`, async () => {
    const body = await sentBy(adapter, WITH_TOOLS);
    assert.deepEqual(parameterOf(adapter, body), isGrammar ? undefined : parameter);
    assert.equal(saysItInWords(body), isGrammar);
    assert.ok(JSON.stringify(body).includes("Reads."));
  });

  Deno.test(`${provider} gets the schema in the prompt after it refused the parameter`, async () => {
    const told = provider === "google"
      ? "Function calling with a response mime type: 'application/json' is unsupported"
      : provider === "anthropic"
      ? "output_config.format: Extra inputs are not permitted"
      : "This model does not support response_format";
    await using server = adapter.serve([
      { status: 400, body: adapter.errorBody(told) },
      { text: '{"price":10}' },
      { text: '{"price":11}' },
    ]);
    const { model, log } = await openPatient(adapter, server);
    const first = await collectReply(model, FREE);
    assert.equal(first.text, '{"price":10}');
    await collectReply(model, FREE);
    assert.notEqual(parameterOf(adapter, server.request(0).body), undefined);
    for (const call of [1, 2]) {
      const { body } = server.request(call);
      assert.equal(parameterOf(adapter, body), undefined);
      assert.equal(saysItInWords(body), true);
      assert.ok(JSON.stringify(body).includes("Be brief."));
    }
    assert.match(log.join("\n"), /it refuses response_format/);
    server.assertDone();
  });
}

Deno.test("a refusal of another part does not count as a refusal of the schema", async () => {
  const adapter = ADAPTERS[0] as Adapter;
  await using server = adapter.serve([{ status: 400, body: adapter.errorBody("No such model") }]);
  const { model } = await openPatient(adapter, server);
  assert.match((await failureOf(model, FREE)).message, /No such model/);
  server.assertDone();
});

Deno.test("a request without a system message gets a system message with the schema", async () => {
  const adapter = ADAPTERS.find(({ provider }) => provider === "ollama") as Adapter;
  const body = await sentBy(adapter, modelRequest({ schema: SCHEMA }));
  const [first, second] = body["messages"] as JsonObject[];
  assert.deepEqual([first?.["role"], second?.["role"]], ["system", "user"]);
});

Deno.test("isStrict() accepts and refuses the same schemas as OpenAI", () => {
  assert.equal(isStrict(SENT), true);
  assert.equal(isStrict({ ...SENT, required: [] }), false);
  assert.equal(isStrict({ ...SENT, additionalProperties: true }), false);
  assert.equal(isStrict({ type: "array", items: SENT }), false);
  const nested = (one: JsonSchema) => ({
    ...SENT,
    properties: { price: { type: "array", items: one } },
  });
  assert.equal(isStrict(nested(SENT)), true);
  assert.equal(isStrict(nested({ type: "object" })), false);
  assert.equal(isStrict(nested({ oneOf: [SENT] })), false);
});

Deno.test("boundInputTokens() counts the schema", () => {
  const { schema: _schema, ...plain } = FREE;
  assert.ok(boundInputTokens(FREE) > boundInputTokens(plain) + JSON.stringify(SCHEMA).length / 4);
});
