// The providers' packages read many variables of the shell. None may redirect a request, nor add to one.
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

function script(provider: string, baseUrl: string): string {
  const module = (path: string) => JSON.stringify(import.meta.resolve(`../../../${path}`));
  return `
    import { resolveModel } from ${module("runtime/models/resolve.ts")};
    import { FREE_PURSE } from ${module("tests/support/models/free_purse.ts")};
    import { SystemClock } from ${module("base/clock.ts")};
    for (const baseUrl of [{ baseUrl: ${JSON.stringify(baseUrl)} }, {}]) {
      const model = await resolveModel(
        { provider: ${JSON.stringify(provider)}, name: "m", streamUsage: true, ...baseUrl },
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

for (const { provider, serve, home, variables } of PACKAGES) {
  Deno.test(`${provider} requests go where the agent says, whatever the shell says`, async () => {
    await using elsewhere = serve([]);
    await using server = serve([{ text: "ok" }]);
    const file = await Deno.makeTempFile({ suffix: ".ts" });
    try {
      await Deno.writeTextFile(file, script(provider, server.origin));
      const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args: [
          "run",
          "--no-check",
          "--no-prompt",
          "--allow-env",
          "--allow-read",
          "--config",
          new URL("../../deno.json", import.meta.url).pathname,
          // Nothing but the two servers: a request to the provider itself is refused, by name.
          `--allow-net=${new URL(server.origin).host},${new URL(elsewhere.origin).host}`,
          file,
        ],
        env: variables(elsewhere.origin),
      }).output();
      const [first, second = ""] = new TextDecoder().decode(stdout).trim().split("\n");
      assert.equal(first, "answered", new TextDecoder().decode(stderr));
      assert.match(second, home);
    } finally {
      await Deno.remove(file);
    }
    assert.equal(elsewhere.requests.length, 0);
    const { headers, path } = server.request(0);
    const sent = `${path} ${JSON.stringify(Object.fromEntries(headers))}`;
    assert.ok(sent.includes("own-key"), sent);
    assert.ok(!sent.includes("shell"), sent);
  });
}
