// `inkling test` under the flags that config.yaml and the agents ask for: it needs none of its own.
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { createRealHome } from "../real_process.ts";

const CASE = `version: 1
replies:
  - calls: [{ tool: file_write, args: { path: report.md, content: sunny }, answers: [{ approved: true }] }]
  - text: '{"day": "12"}'
expect:
  output: { schema: { type: object, required: [day], properties: { day: { pattern: "^\\\\d+$" } } } }
  files: { report.md: { equals: sunny } }
`;

Deno.test("test plays cases under scoped flags, with a schema that is checked in a process of its own", async () => {
  await using home = await createRealHome();
  await home.writeAgent(
    "weather",
    "---\nmodel: { provider: openai, name: gpt-5 }\n---\nTell it.\n",
  );
  const path = join(home.agentsDir, "_config", "tests", "weather", "sunny.yaml");
  await Deno.mkdir(dirname(path), { recursive: true });
  await Deno.writeTextFile(path, CASE);
  const report = join(home.workspace, "report.xml");
  const passed = await home.inkling("test", "--junit", report);
  assert.deepEqual(
    [passed.code, passed.stdout],
    [0, "✔ weather/sunny\n1 passed, 0 failed\n"],
    passed.stderr,
  );
  await Deno.writeTextFile(path, CASE.replace('"12"', '"soon"'));
  const failed = await home.inkling("test");
  assert.equal(failed.code, 1);
  assert.match(failed.stdout, /\n {2}output\.schema\n[^]*\/day does not fit/);
});
