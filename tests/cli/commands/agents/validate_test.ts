import assert from "node:assert/strict";
import type { DiagnosticBody } from "../../../../server/schemas/diagnostic_schemas.ts";
import { fakeAgent } from "../../../support/fake_agent.ts";
import { createFakeCli, type FakeCli } from "../../fake_cli.ts";

function problem(
  severity: DiagnosticBody["severity"],
  message: string,
  hint: string | null = null,
): DiagnosticBody {
  return { path: "agents/bad.md", line: 3, column: 7, severity, message, hint };
}

function addFiles(cli: FakeCli): void {
  cli.files = [
    {
      agentId: "bad",
      path: "agents/bad.md",
      diagnostics: [problem("warning", "Odd"), problem("error", "Wrong", "Do it right")],
    },
    { agentId: "good", path: "agents/good.md", diagnostics: [] },
    { agentId: "odd", path: "agents/odd.md", diagnostics: [problem("warning", "Odd")] },
  ];
}

Deno.test("validate passes where there are only warnings", async () => {
  await using cli = await createFakeCli();
  addFiles(cli);
  assert.equal(await cli.run("validate", "odd"), 0);
  assert.equal(
    cli.stdout.text,
    "! odd  agents/odd.md\n  agents/bad.md:3:7  warning  Odd\n1 agent: 0 errors, 1 warning\n",
  );
});

Deno.test("validate adds what the service has learned of an agent's model", async () => {
  await using cli = await createFakeCli();
  addFiles(cli);
  const lesson = problem("warning", "Model openai/m: it refuses temperature");
  const { hint: _none, ...warning } = lesson;
  cli.runtime.addAgent(fakeAgent("good", { sourcePath: "agents/good.md", warnings: [warning] }));
  cli.runtime.addAgent(fakeAgent("odd", { sourcePath: "elsewhere/odd.md", warnings: [warning] }));
  assert.equal(await cli.run("validate"), 1);
  assert.equal(cli.stdout.text.match(/it refuses temperature/g)?.length, 1, cli.stdout.text);
});

Deno.test("validate counts no file as an agent that is none", async () => {
  await using cli = await createFakeCli();
  addFiles(cli);
  cli.files = [
    { agentId: ".env", path: "/w/agents/_config/.env", diagnostics: [problem("warning", "Odd")] },
    { agentId: "pricing.yaml", path: "/w/pricing.yaml", diagnostics: [problem("error", "No")] },
    ...cli.files,
  ];
  assert.equal(await cli.run("validate"), 1);
  assert.match(cli.stdout.text, /\n3 agents and 2 other files: 2 errors, 3 warnings\n$/);
  cli.stdout.text = "";
  cli.files = cli.files.slice(0, 1);
  assert.equal(await cli.run("validate"), 0);
  assert.match(cli.stdout.text, /\n0 agents and 1 other file: 0 errors, 1 warning\n$/);
});

Deno.test("validate -q shows errors only", async () => {
  await using cli = await createFakeCli();
  addFiles(cli);
  assert.equal(await cli.run("validate", "-q"), 1);
  assert.equal(
    cli.stdout.text,
    "✖ bad  agents/bad.md\n  3:7  error    Wrong\n                Do it right\n",
  );
});

Deno.test("validate says of a target that is meant as a path why it cannot be checked", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/DRAFT.MD`, "Say hello.\n");
    const table = [
      [`${folder}/DRAFT.MD`, `"${folder}/DRAFT.MD" is not a .md file`],
      ["./draft.md", 'There is no file "./draft.md"'],
      [`${folder}/a.markdown`, `There is no file "${folder}/a.markdown"`],
      [folder, `"${folder}" is a folder, not a .md file`],
    ] as const;
    for (const [target, problem] of table) {
      await using cli = await createFakeCli();
      addFiles(cli);
      assert.equal(await cli.run("validate", target), 2);
      assert.equal(cli.stderr.text, `Error: ${problem}\n`);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
