import assert from "node:assert/strict";
import fc from "fast-check";
import type { ModelSettings } from "../../../runtime/agents/agent.ts";
import { isLoopbackHost, keyVariableOf, modelEndpoint } from "../../../runtime/models/endpoint.ts";
import { ModelError } from "../../../runtime/models/model.ts";

function settings(provider: string, baseUrl?: string, apiKeyEnv?: string): ModelSettings {
  return {
    provider,
    name: "m",
    streamUsage: true,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(apiKeyEnv === undefined ? {} : { apiKeyEnv }),
  };
}

Deno.test("modelEndpoint() appends /v1 for Chat Completions where no version is given, and nothing else", () => {
  const cases: [string, string][] = [
    ["http://host:8000", "http://host:8000/v1"],
    ["http://host:8000/", "http://host:8000/v1"],
    ["http://host:8000/v1", "http://host:8000/v1"],
    ["http://host:8000/v1/", "http://host:8000/v1"],
    ["https://host/api", "https://host/api/v1"],
    ["https://host/api/v1", "https://host/api/v1"],
    ["https://host/v1/chat/completions", "https://host/v1"],
    ["https://host/v1beta/openai/", "https://host/v1beta/openai"],
    ["https://host/api/paas/v4", "https://host/api/paas/v4"],
    ["https://host/vault", "https://host/vault/v1"],
  ];
  for (const provider of ["mine", "local", "openai"]) {
    for (const [given, expected] of cases) {
      assert.equal(modelEndpoint(settings(provider, given)).baseUrl, expected, given);
    }
  }
});

Deno.test("modelEndpoint() leaves the address of native endpoints as it is", () => {
  for (const provider of ["ollama", "anthropic", "google"]) {
    assert.equal(
      modelEndpoint(settings(provider, "http://host:1/path")).baseUrl,
      "http://host:1/path",
    );
  }
});

Deno.test("modelEndpoint() knows the named providers' addresses, adapters and keys", () => {
  const facts = (provider: string) => {
    const { adapter, baseUrl, keyVariable, keyRequired } = modelEndpoint(settings(provider));
    return [adapter, baseUrl, keyVariable, keyRequired];
  };
  assert.deepEqual(facts("openai"), ["openai", undefined, "OPENAI_API_KEY", true]);
  assert.deepEqual(facts("anthropic"), ["anthropic", undefined, "ANTHROPIC_API_KEY", true]);
  assert.deepEqual(facts("google"), ["google", undefined, "GOOGLE_API_KEY", true]);
  assert.equal(
    modelEndpoint(settings("azure", "https://mine.openai.azure.com/openai/v1")).adapter,
    "openai",
  );
  assert.equal(modelEndpoint(settings("mine", "https://host/v1")).adapter, "compatible");
  assert.deepEqual(facts("demo"), ["demo", undefined, null, false]);
  assert.deepEqual(facts("ollama"), ["ollama", undefined, "OLLAMA_API_KEY", false]);
  assert.deepEqual(
    facts("local"),
    ["compatible", "http://127.0.0.1:11434/v1", "LOCAL_API_KEY", false],
  );
});

Deno.test("modelEndpoint() wants a key for local only away from this machine, and for any other name always", () => {
  const required = (provider: string, url: string) =>
    modelEndpoint(settings(provider, url)).keyRequired;
  assert.equal(required("local", "http://localhost:1234"), false);
  assert.equal(required("local", "http://[::1]:1234"), false);
  assert.equal(required("local", "http://10.0.0.7:1234"), true);
  assert.equal(required("ollama", "http://10.0.0.7:11434"), false);
  assert.equal(required("vllm", "http://localhost:8000"), true);
});

Deno.test("modelEndpoint() derives the key's variable from the provider unless one is named", () => {
  assert.equal(
    modelEndpoint(settings("my-gate.way 2", "http://h")).keyVariable,
    "MY_GATE_WAY_2_API_KEY",
  );
  assert.equal(modelEndpoint(settings("openai", undefined, "WORK_KEY")).keyVariable, "WORK_KEY");
  fc.assert(fc.property(fc.string(), (provider) => {
    assert.match(keyVariableOf(provider), /^[A-Z0-9_]*_API_KEY$/);
  }));
});

Deno.test("modelEndpoint() names the foreign host that a named provider's key would go to", () => {
  const foreign = (...args: Parameters<typeof settings>) =>
    modelEndpoint(settings(...args)).foreignHost;
  assert.equal(foreign("openai"), null);
  assert.equal(foreign("openai", "https://eu.api.openai.com/v1"), null);
  assert.equal(foreign("openai", "http://127.0.0.1:9/v1"), null);
  assert.equal(foreign("openai", "https://proxy.example:8443"), "proxy.example:8443");
  assert.equal(foreign("openai", "https://notopenai.com"), "notopenai.com");
  assert.equal(foreign("anthropic", "https://api.openai.com"), "api.openai.com");
  assert.equal(foreign("mine", "https://proxy.example"), null);
  assert.equal(foreign("mine", "https://proxy.example", "OPENAI_API_KEY"), "proxy.example");
  assert.equal(foreign("local", "https://proxy.example", "OPENAI_API_KEY"), "proxy.example");
});

Deno.test("modelEndpoint() refuses what leads nowhere, and shows no password", () => {
  const cases: [ModelSettings, RegExp][] = [
    [settings("mine"), /Unknown model provider "mine": use one of openai, .*base_url/],
    [settings("mine", "host:8000"), /it is not an http or https address/],
    [settings("mine", "file:///etc"), /it is not an http or https address/],
    [
      settings("mine", "http://me:hunter2@host"),
      /contains a user name or password; put the key into MINE_API_KEY/,
    ],
    [settings("mine", "http://host/v1?x=1"), /it must end with its path/],
  ];
  for (const [given, expected] of cases) {
    assert.throws(() => modelEndpoint(given), (error) => {
      assert.ok(error instanceof ModelError);
      assert.equal(error.retryable, false);
      assert.match(error.message, expected);
      assert.ok(!error.message.includes("hunter2"));
      return true;
    });
  }
});

Deno.test("isLoopbackHost() knows this machine's names and no others", () => {
  for (const host of ["localhost", "api.localhost", "127.0.0.1", "127.9.9.9", "[::1]", "0.0.0.0"]) {
    assert.equal(isLoopbackHost(host), true, host);
  }
  for (const host of ["localhost.example", "127.0.0.1.example", "128.0.0.1", "[::2]", "10.0.0.1"]) {
    assert.equal(isLoopbackHost(host), false, host);
  }
});
