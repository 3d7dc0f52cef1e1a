import assert from "node:assert/strict";
import { join } from "node:path";
import { formatDiagnostic } from "../../../base/diagnostics.ts";
import { validateWorkspace } from "../../../ops/authoring/workspace_validation.ts";
import { createTestWorkspace } from "../../support/test_workspace.ts";

/** Validates a file in the agents folder. */
async function validate(text: string): Promise<{ path: string; lines: string[] }> {
  await using place = await createTestWorkspace();
  await place.writeAgent("one", text);
  const path = join(place.agentsDir, "one.md");
  const [file] = await validateWorkspace(await place.settings(), "one", { cwd: place.root });
  return { path, lines: (file?.diagnostics ?? []).map(formatDiagnostic) };
}

Deno.test("a file of another tool in the agents folder is one problem with the command that imports it", async () => {
  const model = "model: { provider: demo, name: echo }\n";
  const files = {
    "a subagent of Claude Code":
      "---\nname: one\ndescription: d\ntools: Read, Bash\nmodel: sonnet\n---\nDo.\n",
    "an agent of opencode": `---\n${model}mode: subagent\npermission: { edit: deny }\n---\nDo.\n`,
    "a GitHub Agentic Workflow": "---\non: { schedule: daily }\ntools: { edit: }\n---\nDo.\n",
  };
  for (const [shape, text] of Object.entries(files)) {
    const { path, lines } = await validate(text);
    assert.equal(lines.length, 1, lines.join("\n"));
    const [line = ""] = lines;
    assert.ok(line.includes(`This is ${shape}, and no agent of Inkling`), line);
    assert.ok(line.includes(`inkling import ${path}`), line);
  }
});

Deno.test("a typing error in an agent's file is no file of another tool", async () => {
  const { lines } = await validate(
    "---\nname: one\ndescription: d\nmodel: { provider: demo, name: echo }\ntriger: { type: manual }\n---\nDo.\n",
  );
  assert.match(lines.join("\n"), /triger.*did you mean "trigger"/s);
});

Deno.test("a broken file with a field of Inkling's own is no file of another tool", async () => {
  const { lines } = await validate(
    "---\nname: one\ndescription: d\nmodel: openai/gpt-5\nexpose: true\n---\nDo.\n",
  );
  assert.match(lines.join("\n"), /OPENAI_API_KEY/);
});
