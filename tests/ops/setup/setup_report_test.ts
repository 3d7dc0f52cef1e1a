import assert from "node:assert/strict";
import { join } from "node:path";
import { describeSetup } from "../../../ops/setup/setup_report.ts";
import { createTestWorkspace } from "../../support/test_workspace.ts";

Deno.test("describeSetup() reports existing files and keys' providers, but no key", async () => {
  const shell = { ANTHROPIC_API_KEY: "key-0123456789", GOOGLE_API_KEY: " " };
  await using place = await createTestWorkspace({ shell });
  const before = await describeSetup(await place.settings());
  assert.deepEqual([before.configFileExists, before.workspaceEnvFileExists], [true, false]);
  await Deno.mkdir(join(place.agentsDir, "_config"));
  await Deno.writeTextFile(before.workspaceEnvFile, "OPENAI_API_KEY=key-abcdefghij\n");
  const report = await describeSetup(await place.settings());
  assert.equal(report.workspaceEnvFileExists, true);
  assert.deepEqual(report.providers, [
    { name: "openai", keyVariable: "OPENAI_API_KEY", hasKey: true },
    { name: "anthropic", keyVariable: "ANTHROPIC_API_KEY", hasKey: true },
    { name: "google", keyVariable: "GOOGLE_API_KEY", hasKey: false },
    { name: "ollama", keyVariable: null, hasKey: false },
    { name: "local", keyVariable: null, hasKey: false },
    { name: "demo", keyVariable: null, hasKey: false },
  ]);
  assert.ok(!/key-(0|a)/.test(JSON.stringify(report)));
});

Deno.test("describeSetup() names the default model's provider and price", async () => {
  const elsewhere = "provider: elsewhere, model: m, base_url: 'https://models.example'";
  const cases: [defaults: string, model: string | null, hasPrice: boolean | null][] = [
    ["provider: openai, model: gpt-4o", "openai/gpt-4o", true],
    ["provider: openai, model: gpt-of-nobody", "openai/gpt-of-nobody", false],
    ["model: gpt-4o", null, null],
    [elsewhere, "elsewhere/m", false],
  ];
  await using place = await createTestWorkspace({ shell: { ELSEWHERE_API_KEY: "k" } });
  for (const [defaults, model, hasPrice] of cases) {
    await place.configure(`defaults: { ${defaults} }\n`);
    const report = await describeSetup(await place.settings());
    assert.deepEqual([report.defaultModel, report.defaultModelHasPrice], [model, hasPrice]);
    if (defaults !== elsewhere) continue;
    const expected = { name: "elsewhere", keyVariable: "ELSEWHERE_API_KEY", hasKey: true };
    assert.deepEqual(report.providers.at(-1), expected);
  }
});
