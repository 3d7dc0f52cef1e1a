// Tests that each folder of examples/ is a working workspace: its files are valid, and its cases pass offline.
import assert from "node:assert/strict";
import { join } from "node:path";
import { SystemClock } from "../../base/clock.ts";
import { AgentTests } from "../../ops/testing/agent_tests.ts";
import { isPassed } from "../../ops/testing/test_result.ts";
import { formatDiagnostic } from "../../base/diagnostics.ts";
import { validateWorkspace } from "../../ops/authoring/workspace_validation.ts";
import { parseConfig } from "../../runtime/config/parse_config.ts";
import { REPOSITORY } from "../support/repository.ts";
import { IS_POSTGRES } from "../support/test_database.ts";
import { runToEnd } from "../support/test_workspace.ts";
import {
  createExampleWorkspace,
  exampleFiles,
  exampleNames,
  EXAMPLES,
} from "./example_workspace.ts";

/** The problems that a reader of the example must solve with their own keys, channels or machines. */
const EXPECTED_PROBLEMS: Readonly<Record<string, readonly RegExp[]>> = {
  "for-a-team": [/nodes has no effect: with SQLite/, /notify\.to names "team"/],
  "from-github-and-stripe": [/STRIPE_HOOK_SECRET is not set/, /GITHUB_HOOK_SECRET is not set/],
  "gallery": [
    /config.yaml has no mail account "home"/,
    /The variable GH_TOKEN/,
    /web_search needs a service/,
  ],
  "mcp-servers": [/\$\{TRACKER_TOKEN\} is not defined/],
  "move-from-another-tool": [/\$\{env:NOTES_TOKEN\} is not defined/],
};

Deno.test("examples: each example has a guide with its name, and each guide an example", () => {
  const guides = [...Deno.readDirSync(join(REPOSITORY, "docs/guides"))]
    .map(({ name }) => name.replace(/\.md$/, "")).sort();
  assert.deepEqual(guides, exampleNames());
});

for (const name of exampleNames()) {
  Deno.test(`examples/${name}: every case passes, every agent has one, and validate finds only the listed problems`, async () => {
    await using place = await createExampleWorkspace(name);
    const settings = await place.settings();
    await using tests = await AgentTests.open(settings, {
      clock: new SystemClock(),
      version: "0.0.0-test",
    });
    const results = await tests.run();
    assert.deepEqual(results.filter((one) => !isPassed(one)), []);
    const agents = exampleFiles(name).filter((file) => /^agents\/[^/]+\.md$/.test(file))
      .map((file) => file.slice("agents/".length, -".md".length));
    assert.deepEqual([...new Set(results.map(({ agentId }) => agentId))].sort(), agents);

    const files = await validateWorkspace(settings, undefined, { cwd: place.root });
    const found = files.flatMap(({ diagnostics }) => diagnostics.map(formatDiagnostic));
    const expected = (EXPECTED_PROBLEMS[name] ?? []).filter((one) =>
      !(IS_POSTGRES && one.source.endsWith("with SQLite"))
    );
    const strange = found.filter((line) => !expected.some((one) => one.test(line)));
    assert.deepEqual(strange, []);
    assert.deepEqual(expected.filter((one) => !found.some((line) => one.test(line))), []);
  });

  if (exampleFiles(name).includes("config.yaml")) {
    Deno.test(`examples/${name}/config.yaml has no problem`, () => {
      const text = Deno.readTextFileSync(join(EXAMPLES, name, "config.yaml"));
      const parsed = parseConfig(text, { path: "/config/config.yaml", home: "/home/me" });
      assert.deepEqual("config" in parsed ? parsed.config.warnings : parsed.diagnostics, []);
    });
  }
}

Deno.test("examples/my-own-tools: its tool counts the words of a file in a real run", async () => {
  await using place = await createExampleWorkspace("my-own-tools", { model: "script" });
  await using runtime = await place.open();
  const steps = [
    { call: [{ name: "count_words", arguments: { file: "{notes}/garden.md" } }] },
    { say: "{result}" },
  ];
  const message = `\`\`\`demo\n${JSON.stringify(steps)}\n\`\`\``;
  const { status, outputData } = await runToEnd(runtime, "librarian", { message });
  assert.deepEqual([status, outputData], ["success", "5 words"]);
});
