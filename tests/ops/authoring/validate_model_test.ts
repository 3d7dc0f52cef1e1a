import assert from "node:assert/strict";
import { configOf } from "../../runtime/agents/parsed_file.ts";
import { validate } from "./validated.ts";

Deno.test("diagnoseModel() reports a missing key, an unknown model, and a key that base_url sends elsewhere", async () => {
  assert.deepEqual(await validate("name: x\nmodel:\n  provider: openai\n  name: gpt"), [
    "error daily.md:4:13: The key of model openai/gpt is missing: OPENAI_API_KEY is not set " +
    "(add the line OPENAI_API_KEY=<your key> to /agents/_config/.env)",
  ]);
  const own = "model: {provider: anthropic, name: x, api_key_env: MY_KEY}";
  assert.match((await validate(own)).join(), /MY_KEY is not set/);
  assert.deepEqual(await validate(own, { variables: { MY_KEY: "k" } }), []);
  for (const provider of ["ollama", "local"]) {
    assert.deepEqual(await validate(`model: {provider: ${provider}, name: x}`), [], provider);
  }

  assert.match((await validate("name: x")).join(), /^error daily\.md:2:1: No model is configured/);
  const config = configOf("defaults: {provider: demo, model: echo}");
  assert.deepEqual(await validate("name: x", { config }), []);

  assert.deepEqual(await validate("model: {provider: demo, name: echo}"), []);
  assert.deepEqual(await validate("model: {provider: demo, name: instant}"), [
    'error daily.md:2:31: Unknown model "instant": demo has report, script, echo',
  ]);

  const yaml = 'model: {provider: openai, name: x, base_url: "https://proxy.example/v1"}';
  const variables = { OPENAI_API_KEY: "k" };
  const text = (await validate(yaml, { variables })).join();
  assert.match(text, /^warning daily\.md:2:46: OPENAI_API_KEY goes to proxy\.example/);
  const pinned = configOf("defaults: {pin_keys: true}");
  assert.match(
    (await validate(yaml, { variables, config: pinned })).join(),
    /^error .*pin_keys forbids/,
  );
});

Deno.test("diagnoseModel() checks the key and the price of each fallback", async () => {
  const model = "model: {provider: ollama, name: x, fallback: [anthropic/c, ollama/unpriced-1]}";
  const key = "error daily.md:2:47: The key of model anthropic/c is missing: ANTHROPIC_API_KEY";
  const keyless = await validate(model);
  assert.ok(keyless.length === 1 && keyless[0]?.startsWith(key), keyless.join());
  const found = await validate(`${model}\nsettings: { max_cost_usd: 2 }`, {
    variables: { ANTHROPIC_API_KEY: "k" },
  });
  assert.match(found.join(), /^warning daily.md:3:\d+: No price is known for ollama\/unpriced-1/);
});

Deno.test("diagnoseModel() reports an unpriced model under a dollar limit or budget", async () => {
  const variables = { OPENAI_API_KEY: "key-0123456789" };
  const unpriced = "model: { provider: openai, name: unpriced-1 }";
  assert.deepEqual(await validate(unpriced, { variables }), [], "nothing needs a price");
  const limited = `${unpriced}\nsettings: { max_cost_usd: 2 }`;
  const [warning = ""] = await validate(limited, { variables });
  const expected = /^warning daily\.md:3:\d+: No price is known .*, so max_cost_usd has no effect/;
  assert.match(warning, expected);
  assert.deepEqual(await validate("model: { provider: ollama, name: unpriced-2 }"), []);

  assert.deepEqual(await validate(`${unpriced}\nbudget: { per_day: 2 }`, { variables }), [
    "error daily.md:3:9: No price is known for openai/unpriced-1: its budget in dollars refuses all of its calls " +
    "(add a price for openai/unpriced-1 to pricing.yaml, or set unpriced: allow)",
  ]);
  const config = configOf("budget: { per_month: 2 }");
  const refused =
    /^error daily\.md:2:34: .*: the workspace's budget in dollars refuses all of its calls/;
  assert.match((await validate(unpriced, { variables, config })).join(), refused);
  const tokens = `${unpriced}\nbudget: { tokens: { per_day: 2 } }`;
  for (const text of [tokens, `${unpriced}\nbudget: { per_day: 2 }\nunpriced: allow`]) {
    assert.deepEqual(await validate(text, { variables }), []);
  }
});
