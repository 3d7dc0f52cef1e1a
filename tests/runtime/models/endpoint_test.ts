import assert from "node:assert/strict";
import fc from "fast-check";
import type { ModelSettings } from "../../../runtime/agents/agent.ts";
import {
  isLoopbackHost,
  keyVariableOf,
  modelEndpoint,
  modelHost,
} from "../../../runtime/models/endpoint.ts";
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

Deno.test("modelEndpoint() appends /v1 for Chat Completions only if the address has no version", () => {
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

Deno.test("modelEndpoint() returns the adapter, address and key variable of each provider", () => {
  const rows: [provider: string, url: string | undefined, ...facts: unknown[]][] = [
    ["openai", undefined, "openai", "https://api.openai.com/v1", "OPENAI_API_KEY", true],
    ["anthropic", undefined, "anthropic", "https://api.anthropic.com", "ANTHROPIC_API_KEY", true],
    [
      "google",
      undefined,
      "google",
      "https://generativelanguage.googleapis.com",
      "GOOGLE_API_KEY",
      true,
    ],
    ["demo", undefined, "demo", "", null, false],
    ["ollama", undefined, "ollama", "http://127.0.0.1:11434", "OLLAMA_API_KEY", false],
    ["local", undefined, "compatible", "http://127.0.0.1:11434/v1", "LOCAL_API_KEY", false],
    // The base URL of a provider with its own format does not change.
    ["anthropic", "http://h:1/p", "anthropic", "http://h:1/p", "ANTHROPIC_API_KEY", true],
    ["google", "http://h:1/p", "google", "http://h:1/p", "GOOGLE_API_KEY", true],
    ["ollama", "http://10.0.0.7/p", "ollama", "http://10.0.0.7/p", "OLLAMA_API_KEY", false],
    [
      "azure",
      "https://a.openai.azure.com/v1",
      "openai",
      "https://a.openai.azure.com/v1",
      "AZURE_API_KEY",
      true,
    ],
    ["my-gate.way 2", "http://h/v1", "compatible", "http://h/v1", "MY_GATE_WAY_2_API_KEY", true],
    // Only the provider `local` needs no key, and only if its host is this machine.
    ["local", "http://[::1]:1/v1", "compatible", "http://[::1]:1/v1", "LOCAL_API_KEY", false],
    ["local", "http://10.0.0.7/v1", "compatible", "http://10.0.0.7/v1", "LOCAL_API_KEY", true],
    ["vllm", "http://localhost/v1", "compatible", "http://localhost/v1", "VLLM_API_KEY", true],
  ];
  for (const [provider, url, ...facts] of rows) {
    const { adapter, baseUrl, keyVariable, keyRequired } = modelEndpoint(settings(provider, url));
    assert.deepEqual([adapter, baseUrl, keyVariable, keyRequired], facts, `${provider} ${url}`);
  }
  assert.equal(modelEndpoint(settings("openai", undefined, "WORK_KEY")).keyVariable, "WORK_KEY");
  fc.assert(fc.property(fc.string(), (provider) => {
    assert.match(keyVariableOf(provider), /^[A-Z0-9_]*_API_KEY$/);
  }));
});

Deno.test("modelEndpoint() returns the foreign host that would receive a named provider's key", () => {
  const rows: [provider: string, url: string | undefined, host: string | null, key?: string][] = [
    ["openai", undefined, null],
    ["openai", "https://eu.api.openai.com/v1", null],
    ["openai", "http://127.0.0.1:9/v1", null],
    ["openai", "https://proxy.example:8443", "proxy.example:8443"],
    ["openai", "https://notopenai.com", "notopenai.com"],
    ["anthropic", "https://api.openai.com", "api.openai.com"],
    ["mine", "https://proxy.example", null],
    ["mine", "https://proxy.example", "proxy.example", "OPENAI_API_KEY"],
    ["local", "https://proxy.example", "proxy.example", "OPENAI_API_KEY"],
  ];
  for (const [provider, url, host, key] of rows) {
    const found = modelEndpoint(settings(provider, url, key)).foreignHost;
    assert.equal(found, host, `${provider} ${url}`);
  }
});

Deno.test("modelEndpoint() refuses invalid addresses without showing passwords", () => {
  const cases: [ModelSettings, RegExp][] = [
    [settings("mine"), /Unknown model provider "mine": use one of openai, .*base_url/],
    [settings("mine", "host:8000"), /it is not an http or https address/],
    [settings("mine", "file:///etc"), /it is not an http or https address/],
    [
      settings("mine", "http://me:hunter2@host"),
      /contains a user name or password; put the key into MINE_API_KEY/,
    ],
    [settings("mine", "http://host/v1?x=1"), /it must not have a query or a fragment/],
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

Deno.test("isLoopbackHost() accepts only the names of this machine", () => {
  for (const host of ["localhost", "api.localhost", "127.0.0.1", "127.9.9.9", "[::1]", "0.0.0.0"]) {
    assert.equal(isLoopbackHost(host), true, host);
  }
  for (const host of ["localhost.example", "127.0.0.1.example", "128.0.0.1", "[::2]", "10.0.0.1"]) {
    assert.equal(isLoopbackHost(host), false, host);
  }
});

Deno.test("modelHost() returns the host and port of a model's address, and null for the demo", () => {
  assert.equal(modelHost(settings("openai")), "api.openai.com:443");
  assert.equal(modelHost(settings("ollama")), "127.0.0.1:11434");
  assert.equal(modelHost(settings("corp", "http://models.test/api")), "models.test:80");
  assert.equal(modelHost(settings("openai", "https://[fd00::1]:8443/v1")), "[fd00::1]:8443");
  assert.equal(modelHost(settings("demo")), null);
  assert.throws(() => modelHost(settings("unknown")), ModelError);
});
