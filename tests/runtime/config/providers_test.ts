// Tests the rows of the named providers: no name, model or key belongs to two of them.
import assert from "node:assert/strict";
import { NAMED_PROVIDERS, PROVIDERS } from "../../../runtime/config/providers.ts";
import { keyVariableOf } from "../../../runtime/models/endpoint.ts";

const KEYS = { openai: "sk-proj-abc", anthropic: "sk-ant-abc", google: "AIzaAbc" };

Deno.test("PROVIDERS: each pattern matches only models and keys of its own provider", () => {
  for (const provider of NAMED_PROVIDERS) {
    const { modelPattern, suggestedModel, shortNames = {} } = PROVIDERS[provider];
    for (const model of modelPattern ? [suggestedModel, ...Object.values(shortNames)] : []) {
      const owners = NAMED_PROVIDERS.filter((one) => PROVIDERS[one].modelPattern?.test(model));
      assert.deepEqual(owners, [provider], model);
    }
  }
  const keyed = NAMED_PROVIDERS.filter((one) => PROVIDERS[one].keyPattern !== undefined);
  assert.deepEqual(keyed.sort(), Object.keys(KEYS).sort());
  for (const [provider, key] of Object.entries(KEYS)) {
    const owners = NAMED_PROVIDERS.filter((one) => PROVIDERS[one].keyPattern?.test(key));
    assert.deepEqual(owners, [provider], key);
  }
});

Deno.test("PROVIDERS: no two providers share a name, an alias, a short name or a key variable", () => {
  const rows = NAMED_PROVIDERS.map((one) => PROVIDERS[one]);
  for (
    const names of [
      [...NAMED_PROVIDERS, ...rows.flatMap(({ aliases = [] }) => aliases)],
      rows.flatMap(({ shortNames = {} }) => Object.keys(shortNames)),
      NAMED_PROVIDERS.map(keyVariableOf),
    ]
  ) assert.deepEqual(names, [...new Set(names)]);
});

Deno.test("PROVIDERS: only a provider without a key or without an owner has no domains", () => {
  const open = NAMED_PROVIDERS.filter((one) => PROVIDERS[one].hosts === null);
  assert.deepEqual(open, ["local", "demo"]);
  for (const { url, hosts } of Object.values(PROVIDERS)) {
    if (hosts === null || url.startsWith("http://127.0.0.1")) continue;
    const { hostname } = new URL(url);
    assert.ok(hosts.some((host) => hostname.endsWith(`.${host}`)), url);
  }
});
