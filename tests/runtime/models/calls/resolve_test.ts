import assert from "node:assert/strict";
import { FREE_BILLING } from "../../../support/models/free_billing.ts";
import type { ModelSettings } from "../../../../runtime/agents/agent.ts";
import { ModelError } from "../../../../runtime/models/model.ts";
import { type ModelSources, resolveModel } from "../../../../runtime/models/calls/resolve.ts";
import { collectReply } from "../../../support/collect_reply.ts";
import { OpenAiServer } from "../../../support/models/openai_server.ts";
import { TestClock } from "../../../support/test_clock.ts";

interface World extends ModelSources {
  lines: string[];
}

function world(variables: Record<string, string> = {}, pinKeys = false): World {
  const lines: string[] = [];
  return {
    lines,
    settings: {
      environment: { get: (name) => variables[name], secrets: () => [] },
      directories: { workspaceEnvFile: "/work/agents/_config/.env" },
      config: { pinKeys },
    },
    clock: new TestClock(),
    log: { write: (level, message) => lines.push(`${level}: ${message}`) },
  };
}

function settings(provider: string, overrides: Partial<ModelSettings> = {}): ModelSettings {
  return { provider, name: "m", streamUsage: true, ...overrides };
}

async function refusalOf(
  given: ModelSettings | undefined,
  options: ModelSources,
): Promise<string> {
  const error = await resolveModel(given, options, FREE_BILLING).then(
    () => assert.fail("the model was resolved"),
    (error: unknown) => error,
  );
  assert.ok(error instanceof ModelError, String(error));
  assert.equal(error.retryable, false);
  return error.message;
}

Deno.test("resolveModel() explains a missing model or key, and never shows an invalid key", async () => {
  assert.equal(
    await refusalOf(undefined, world()),
    "No model is configured: give the agent a `model`, or set `defaults.provider` and " +
      "`defaults.model` in config.yaml",
  );
  assert.equal(
    await refusalOf(settings("openai"), world({ OPENAI_API_KEY: "  " })),
    "Cannot use model openai/m: OPENAI_API_KEY is not set; add the line " +
      "OPENAI_API_KEY=<your key> to /work/agents/_config/.env",
  );
  const message = await refusalOf(settings("vllm", { baseUrl: "http://localhost:1" }), world());
  assert.match(message, /VLLM_API_KEY is not set.*needs no key: use provider `local`/);
  const own = settings("openai", { apiKeyEnv: "WORK_KEY" });
  assert.match(await refusalOf(own, world({ OPENAI_API_KEY: "k" })), /WORK_KEY is not set/);
  const odd = await refusalOf(settings("openai"), world({ OPENAI_API_KEY: "sk-one two" }));
  assert.match(odd, /the value of OPENAI_API_KEY is not a valid key/);
  assert.ok(!odd.includes("sk-one"));
});

Deno.test("resolveModel() sends the key of the provider to its endpoint", async () => {
  await using server = new OpenAiServer([{ text: "a" }, { text: "b" }, { text: "c" }]);
  const baseUrl = server.url.replace("/v1", "");
  const options = world({ MINE_API_KEY: " k1\n", OPENAI_API_KEY: "k2" });
  const providers = ["mine", "openai", "local"];
  for (const provider of providers) {
    const model = await resolveModel(settings(provider, { baseUrl }), options, FREE_BILLING);
    assert.equal(model.id, `${provider}/m`);
    await collectReply(model);
  }
  const found = server.requests.map((request) => request.headers.get("authorization"));
  assert.deepEqual(found, ["Bearer k1", "Bearer k2", null]);
  const seen = server.requests.map((request) => "max_completion_tokens" in request.body);
  assert.deepEqual(seen, [false, true, false]);
  assert.deepEqual(options.lines, []);
});

Deno.test("resolveModel() warns about a key for a foreign host, and refuses a pinned key", async () => {
  const given = settings("openai", { baseUrl: "https://proxy.example/v1" });
  const free = world({ OPENAI_API_KEY: "k" });
  await resolveModel(given, free, FREE_BILLING);
  assert.deepEqual(free.lines, [
    "warn: Model openai/m: OPENAI_API_KEY goes to proxy.example, which is not its provider's own host",
  ]);
  const pinned = world({ OPENAI_API_KEY: "k" }, true);
  assert.match(await refusalOf(given, pinned), /goes to proxy\.example.*defaults\.pin_keys is set/);
  await resolveModel(settings("openai"), pinned, FREE_BILLING);
  const baseUrl = "https://proxy.example";
  const own = world({ MINE_API_KEY: "k" }, true);
  await resolveModel(settings("mine", { baseUrl }), own, FREE_BILLING);
});
