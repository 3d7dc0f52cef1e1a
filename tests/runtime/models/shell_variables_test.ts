// Variables of the shell that providers' own programs read. None may redirect a request, nor add to one.
import assert from "node:assert/strict";
import { AnthropicServer } from "../../support/models/anthropic_server.ts";
import { GoogleServer } from "../../support/models/google_server.ts";
import type { ModelServer, ModelStep } from "../../support/models/model_server.ts";
import { OpenAiServer } from "../../support/models/openai_server.ts";

interface Package {
  provider: string;
  serve: (steps: ModelStep[]) => ModelServer;
  /** Where a request goes without a base_url. */
  home: RegExp;
  variables: (elsewhere: string) => Record<string, string>;
}

const PACKAGES: Package[] = [
  {
    provider: "openai",
    serve: (steps) => new OpenAiServer(steps),
    home: /api\.openai\.com/,
    variables: (elsewhere) => ({
      OPENAI_BASE_URL: `${elsewhere}/v1`,
      OPENAI_API_KEY: "shell-key",
      OPENAI_ORG_ID: "shell-org",
      OPENAI_PROJECT_ID: "shell-project",
      OPENAI_ADMIN_KEY: "shell-admin",
      OPENAI_CUSTOM_HEADERS: "x-custom: shell\nAuthorization: Bearer shell",
      OPENAI_LOG: "debug",
    }),
  },
  {
    provider: "anthropic",
    serve: (steps) => new AnthropicServer(steps),
    home: /api\.anthropic\.com/,
    variables: (elsewhere) => ({
      ANTHROPIC_BASE_URL: elsewhere,
      ANTHROPIC_API_KEY: "shell-key",
      ANTHROPIC_AUTH_TOKEN: "shell-token",
      ANTHROPIC_PROFILE: "shell-profile",
      ANTHROPIC_CUSTOM_HEADERS: "x-custom: shell\nx-api-key: shell",
      ANTHROPIC_LOG: "debug",
    }),
  },
  {
    provider: "google",
    serve: (steps) => new GoogleServer(steps),
    home: /generativelanguage\.googleapis\.com/,
    variables: (elsewhere) => ({
      GOOGLE_GEMINI_BASE_URL: elsewhere,
      GOOGLE_VERTEX_BASE_URL: elsewhere,
      GOOGLE_API_KEY: "shell-key",
      GOOGLE_GENAI_USE_VERTEXAI: "true",
      GOOGLE_GENAI_USE_ENTERPRISE: "true",
      GOOGLE_CLOUD_PROJECT: "shell-project",
      GOOGLE_CLOUD_LOCATION: "shell-location",
      GOOGLE_GENAI_API_VERSION: "v1shell",
    }),
  },
];

/** Calls each provider at its address, then without one, and prints what came of each call. */
function script(addresses: readonly { provider: string; baseUrl: string }[]): string {
  const module = (path: string) => JSON.stringify(import.meta.resolve(`../../../${path}`));
  return `
    import { resolveModel } from ${module("runtime/models/resolve.ts")};
    import { FREE_PURSE } from ${module("tests/support/models/free_purse.ts")};
    import { SystemClock } from ${module("base/clock.ts")};
    const calls = ${JSON.stringify(addresses)}
      .flatMap(({ provider, baseUrl }) => [{ provider, baseUrl }, { provider }]);
    for (const call of calls) {
      const model = await resolveModel(
        { ...call, name: "m", streamUsage: true },
        {
          environment: { get: () => "own-key", secrets: () => [] },
          environmentFile: "", pinKeys: false, purse: FREE_PURSE, clock: new SystemClock(), log: { write: () => {} },
        },
      );
      const stream = model.generate(
        { messages: [{ role: "user", content: "Hi" }], tools: [], temperature: 0, maxTokens: 1 },
        { signal: new AbortController().signal },
      );
      try {
        for (;;) if ((await stream.next()).done) break;
        console.log("answered");
      } catch (error) {
        console.log(error.message);
      }
    }`;
}

Deno.test("requests of every provider go where the agent says, whatever the shell says", async (test) => {
  await using stack = new AsyncDisposableStack();
  const opened = PACKAGES.map((one) => ({
    ...one,
    elsewhere: stack.use(one.serve([])),
    server: stack.use(one.serve([{ text: "ok" }])),
  }));
  const file = await Deno.makeTempFile({ suffix: ".ts" });
  stack.defer(() => Deno.remove(file));
  const addresses = opened.map(({ provider, server }) => ({ provider, baseUrl: server.origin }));
  await Deno.writeTextFile(file, script(addresses));
  // Nothing but these servers: a request to a provider itself is refused, by name.
  const hosts = opened.flatMap(({ server, elsewhere }) => [server.origin, elsewhere.origin])
    .map((origin) => new URL(origin).host);
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--no-check", "--no-prompt", "--allow-env", "--allow-read"],
      ...["--config", new URL("../../deno.json", import.meta.url).pathname],
      ...[`--allow-net=${hosts}`, file],
    ],
    env: Object.assign({}, ...opened.map((one) => one.variables(one.elsewhere.origin))),
  }).output();
  const lines = new TextDecoder().decode(stdout).trim().split("\n");
  for (const [index, { provider, home, server, elsewhere }] of opened.entries()) {
    await test.step(provider, () => {
      const [first, second = ""] = lines.slice(index * 2);
      assert.equal(first, "answered", new TextDecoder().decode(stderr));
      assert.match(second, home);
      assert.equal(elsewhere.requests.length, 0);
      const { headers, path } = server.request(0);
      const sent = `${path} ${JSON.stringify(Object.fromEntries(headers))}`;
      assert.ok(sent.includes("own-key"), sent);
      assert.ok(!sent.includes("shell"), sent);
    });
  }
});
