import assert from "node:assert/strict";
import {
  diagnoseModel,
  type ModelSurroundings,
} from "../../../../runtime/agents/validation/validate_model.ts";
import type { Config } from "../../../../runtime/config/config.ts";
import { formatDiagnostic } from "../../../../base/diagnostics.ts";
import { modelEndpoint } from "../../../../runtime/models/endpoint.ts";
import { configOf, parsedOf } from "../parsed_file.ts";

/** The diagnostics of the model of `daily.md` with this front matter. */
async function diagnosed(
  yaml: string,
  { config = configOf(), variables = {}, endpoint = modelEndpoint }: {
    config?: Config;
    endpoint?: ModelSurroundings["modelEndpoint"];
    variables?: Record<string, string>;
  } = {},
): Promise<string[]> {
  const { agent, source } = parsedOf(yaml, config);
  const found = await diagnoseModel(agent, source, {
    directories: { workspaceEnvFile: "/work/agents/_config/.env" },
    config,
    environment: { get: (name) => variables[name], secrets: () => [] },
    modelEndpoint: endpoint,
    modelsOf: (provider) => provider === "demo" ? ["echo", "x"] : undefined,
    hasPrice: (model) => Promise.resolve(!model.name.startsWith("unpriced")),
  });
  return found.map((one) => `${one.severity} ${formatDiagnostic(one)}`);
}

Deno.test("diagnoseModel() names the missing key, its variable and its file", async () => {
  assert.deepEqual(await diagnosed("name: x\nmodel:\n  provider: openai\n  name: gpt"), [
    "error daily.md:4:13: The key of model openai/gpt is missing: OPENAI_API_KEY is not set " +
    "(add the line OPENAI_API_KEY=<your key> to /work/agents/_config/.env)",
  ]);
  const own = "model: {provider: anthropic, name: x, api_key_env: MY_KEY}";
  assert.match((await diagnosed(own)).join(), /MY_KEY is not set/);
  assert.deepEqual(await diagnosed(own, { variables: { MY_KEY: "k" } }), []);
  for (const provider of ["demo", "ollama", "local"]) {
    assert.deepEqual(await diagnosed(`model: {provider: ${provider}, name: x}`), [], provider);
  }
});

Deno.test("diagnoseModel() checks the key and, where a limit needs one, the price of each fallback", async () => {
  const model = "model: {provider: ollama, name: x, fallback: [anthropic/c, ollama/unpriced-1]}";
  const key = "error daily.md:2:47: The key of model anthropic/c is missing: ANTHROPIC_API_KEY";
  const keyless = await diagnosed(model);
  assert.ok(keyless.length === 1 && keyless[0]?.startsWith(key), keyless.join());
  const found = await diagnosed(`${model}\nsettings: { max_cost_usd: 2 }`, {
    variables: { ANTHROPIC_API_KEY: "k" },
  });
  assert.match(found.join(), /^warning daily.md:3:\d+: No price is known for ollama\/unpriced-1/);
});

Deno.test("diagnoseModel() finds no model, unless config.yaml has one", async () => {
  assert.match((await diagnosed("name: x")).join(), /^error daily\.md:2:1: No model is configured/);
  const config = configOf("defaults: {provider: demo, model: x}");
  assert.deepEqual(await diagnosed("name: x", { config }), []);
});

Deno.test("diagnoseModel() warns of a key that goes to a foreign host, or refuses it", async () => {
  const yaml = 'model: {provider: openai, name: x, base_url: "https://proxy.example/v1"}';
  const variables = { OPENAI_API_KEY: "k" };
  const text = (await diagnosed(yaml, { variables })).join();
  assert.match(text, /^warning daily\.md:2:46: OPENAI_API_KEY goes to proxy\.example/);
  const config = configOf("defaults: {pin_keys: true}");
  assert.match((await diagnosed(yaml, { variables, config })).join(), /^error .*pin_keys forbids/);
});

Deno.test("diagnoseModel() says where a limit needs a price and none is known", async () => {
  const variables = { OPENAI_API_KEY: "key-0123456789" };
  const unpriced = "model: { provider: openai, name: unpriced-1 }";
  assert.deepEqual(await diagnosed(unpriced, { variables }), [], "nothing needs a price");
  const limited = `${unpriced}\nsettings: { max_cost_usd: 2 }`;
  const [warning = ""] = await diagnosed(limited, { variables });
  const expected = /^warning daily\.md:3:\d+: No price is known .*: max_cost_usd does not hold/;
  assert.match(warning, expected);
  assert.deepEqual(await diagnosed("model: { provider: ollama, name: unpriced-2 }"), []);
});

Deno.test("diagnoseModel() tells of a model that its provider has not got", async () => {
  assert.deepEqual(await diagnosed("model: {provider: demo, name: echo}"), []);
  assert.deepEqual(await diagnosed("model: {provider: demo, name: instant}"), [
    'error daily.md:2:31: Unknown model "instant": demo has echo, x',
  ]);
});

Deno.test("diagnoseModel() tells once, in the endpoint's words, of settings that lead nowhere", async () => {
  const endpoint = () => {
    throw new Error("There is no such place");
  };
  assert.deepEqual(await diagnosed("model: {provider: openai, name: unpriced-3}", { endpoint }), [
    "error daily.md:2:19: There is no such place",
  ]);
});

Deno.test("diagnoseModel() says where a budget in dollars refuses a model without a price", async () => {
  const variables = { OPENAI_API_KEY: "key-0123456789" };
  const unpriced = "model: { provider: openai, name: unpriced-1 }";
  assert.deepEqual(await diagnosed(`${unpriced}\nbudget: { per_day: 2 }`, { variables }), [
    "error daily.md:3:9: No price is known for openai/unpriced-1: its budget in dollars refuses all of its calls " +
    "(add a price for openai/unpriced-1 to pricing.yaml, or set unpriced: allow)",
  ]);
  const config = configOf("budget: { per_month: 2 }");
  const expected =
    /^error daily\.md:2:34: .*: the workspace's budget in dollars refuses all of its calls/;
  assert.match((await diagnosed(unpriced, { variables, config })).join(), expected);
  const tokens = `${unpriced}\nbudget: { tokens: { per_day: 2 } }`;
  for (const text of [tokens, `${unpriced}\nbudget: { per_day: 2 }\nunpriced: allow`]) {
    assert.deepEqual(await diagnosed(text, { variables }), []);
  }
});
