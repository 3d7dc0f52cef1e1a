// Tests of the search for case files, and of the errors of invalid case files.
import assert from "node:assert/strict";
import { join } from "node:path";
import { formatDiagnostic } from "../../../base/diagnostics.ts";
import { parseCase } from "../../../ops/testing/case_files.ts";
import { REPOSITORY } from "../../support/repository.ts";
import { createTestedWorkspace, isPassed } from "./tested_workspace.ts";

const GOOD = "version: 1\nreplies: [{ text: hello }]\nexpect: { output: { equals: hello } }\n";

function problemsOf(text: string): string[] {
  const parsed = parseCase(text, "c.yaml");
  return "diagnostics" in parsed ? parsed.diagnostics.map(formatDiagnostic) : [];
}

Deno.test("case files are found in all folders", async () => {
  await using world = await createTestedWorkspace();
  const { workspace, tests } = world;
  await world.agent("worker");
  await world.agent("other");
  await world.write("worker/b.yaml", GOOD);
  await world.write("worker/a.yml", GOOD);
  await world.write("worker/notes.md", "no case");
  await world.write("other.yaml", GOOD);
  await Deno.writeTextFile(join(workspace.agentsDir, "worker.test.yaml"), GOOD);
  const results = await tests.run();
  assert.deepEqual(results.map(({ name }) => name), ["other", "worker", "worker/a", "worker/b"]);
  assert.ok(results.every(isPassed));
  assert.deepEqual((await tests.run("other")).map(({ name }) => name), ["other"]);
  assert.deepEqual(tests.agentIds(), ["other", "worker"]);

  await world.write("nobody.yaml", GOOD);
  await world.write("broken.yaml", GOOD);
  await world.workspace.writeAgent("broken", "---\nmodel: 7\n---\nTask\n");
  const failing = (await world.tests.run()).slice(0, 2);
  assert.deepEqual(failing.map(({ problems }) => problems.length), [1, 1]);
  assert.match(failing[0]?.problems[0]?.path ?? "", /broken\.md$/);
  assert.match(failing[1]?.problems[0]?.message ?? "", /no agent "nobody"/);
});

Deno.test("every problem of a case file is reported at its position", () => {
  assert.deepEqual(problemsOf(GOOD), []);
  const problems = problemsOf(`version: 2
nwo: x
replies:
  - text: 7
  - calls: [{ args: {} }]
  - calls: [{ tool: a, result: x, error: y }]
tools:
  http_request: [{ when: {} }]
expect:
  outptu: { equals: a }
  output: { matches: "(" }
  status: finished
  max_steps: 0
`);
  const places = problems.map((problem) => problem.split(":").slice(1, 3).join(":"));
  const expected = "1:10 2:1 4:11 5:13 6:13 8:18 10:3 11:22 12:11 13:14";
  assert.equal(places.join(" "), expected, problems.join("\n"));
  assert.match(problems[6] ?? "", /Unknown key expect\.outptu \(did you mean "output"\?\)$/);
  assert.match(problemsOf("replies: []\n")[0] ?? "", /version is missing/);
  const message = problemsOf("version: 1\ninput: { trigger: watch }\n")[0] ?? "";
  assert.match(message, /input\.file is missing/);
  assert.match(problemsOf("version: 1\n  x: [\n")[0] ?? "", /^c\.yaml:\d+:\d+: /);

  const ofJudge = problemsOf(`version: 1
tools:
  http_request: [{ whne: {}, result: x }]
expect:
  judge:
    - { question: Right?, votse: 3 }
    - { question: Right?, votes: 2 }
    - { question: Right?, model: "" }
    - { question: Right?, answers: [yes, no] }
    - { question: Right?, answers: [maybe] }
    - { question: " " }
    - {}
`);
  const judgePlaces = ofJudge.map((problem) => problem.split(":").slice(1, 3).join(":"));
  const judged = ["3:20", "6:27", "7:34", "8:34", "9:36", "10:37", "11:19", "12:7"];
  assert.deepEqual(judgePlaces, judged, ofJudge.join("\n"));
  const [one] = problemsOf("version: 1\nexpect: { judge: { qestion: Right? } }\n");
  assert.match(one ?? "", /judge/);
  const typo = problemsOf("version: 1\nexpect: { judge: { question: Right?, fiel: a.md } }\n");
  assert.match(typo[0] ?? "", /Unknown key expect\.judge\.fiel \(did you mean "file"\?\)/);
});

Deno.test("a case's agent gets the cause of its run as in a real run", async () => {
  await using world = await createTestedWorkspace();
  const cases = [
    "{ trigger: schedule }",
    "{ trigger: watch, file: inbox/a.md, event: created }",
    '{ args: [a], message: "Hello", context: "more" }',
  ];
  for (const trigger of cases) {
    const result = await world.play(
      `version: 1\ninput: ${trigger}\nfiles: { inbox/a.md: x }\nreplies: [{ text: ok }]\n`,
    );
    assert.ok(isPassed(result), JSON.stringify(result));
  }

  const docs = await Deno.readTextFile(join(REPOSITORY, "docs/testing.md"));
  const [, example = ""] = /^```yaml\n(version: 1\n[^]*?)^```$/m.exec(docs) ?? [];
  const result = await world.play(example);
  assert.deepEqual([result.problems, result.failures, result.steps], [[], [], 3]);
});
