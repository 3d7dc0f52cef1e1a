import assert from "node:assert/strict";
import { fakeAgent } from "../../../support/fake_agent.ts";
import { createTempDir } from "../../../support/temp_dir.ts";
import { createFakeCli } from "../../fake_cli.ts";

Deno.test("validate adds the service's warnings about an agent's model", async () => {
  await using cli = await createFakeCli();
  cli.files = ["good", "odd"].map((id) => ({
    ...{ agentId: id, path: `agents/${id}.md`, diagnostics: [] },
  }));
  const message = "Model openai/m: it refuses temperature";
  const place = { path: "agents/good.md", line: 3, column: 7 };
  const warnings = [{ ...place, severity: "warning" as const, message }];
  cli.runtime.addAgent(fakeAgent("good", { sourcePath: "agents/good.md", warnings }));
  cli.runtime.addAgent(fakeAgent("odd", { sourcePath: "elsewhere/odd.md", warnings }));
  assert.equal(await cli.run("validate"), 0);
  assert.equal(cli.stdout.text.match(/it refuses temperature/g)?.length, 1, cli.stdout.text);
});

Deno.test("validate adds no warnings about an older version of a broken file", async () => {
  await using cli = await createFakeCli();
  const place = { path: "agents/bad.md", line: 2, column: 9 };
  const problem = { ...place, severity: "error" as const, message: "model must be text" };
  const diagnostics = [{ ...problem, hint: null }];
  cli.files = [{ agentId: "bad", path: place.path, diagnostics }];
  const old = { ...place, severity: "warning" as const, message: "Unknown key shell.foo" };
  const warnings = [problem, old];
  cli.runtime.addAgent(fakeAgent("bad", { sourcePath: place.path, warnings }));
  assert.equal(await cli.run("validate"), 1);
  assert.match(cli.stdout.text, /model must be text/);
  assert.doesNotMatch(cli.stdout.text, /shell\.foo/);
});

Deno.test("validate reports why a path cannot be checked", async () => {
  await using folder = await createTempDir();
  const { path } = folder;
  await Deno.writeTextFile(`${path}/DRAFT.MD`, "Say hello.\n");
  const table = [
    [`${path}/DRAFT.MD`, `"${path}/DRAFT.MD" is not a .md file`],
    ["./draft.md", 'There is no file "./draft.md"'],
    [`${path}/a.markdown`, `There is no file "${path}/a.markdown"`],
    [path, `"${path}" is a folder, not a .md file`],
  ] as const;
  await using cli = await createFakeCli();
  for (const [target, problem] of table) {
    cli.stderr.text = "";
    assert.equal(await cli.run("validate", target), 2);
    assert.equal(cli.stderr.text, `Error: ${problem}\n`);
  }
});
