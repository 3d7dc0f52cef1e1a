// `inkling test` as a CI starts it: no key, and no permission for the network or for other programs.
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { programCommand } from "../support/program.ts";
import { createRealHome } from "./real_process.ts";

const OFFLINE = ["--no-prompt", "--allow-read", "--allow-write", "--allow-env", "--allow-sys"];

const CASE = `version: 1
tools: { http_request: "sunny" }
replies:
  - calls: [{ tool: http_request, args: { method: GET, url: "https://weather.example/" } }]
  - calls: [{ tool: forecast, args: { city: Bonn }, result: rain }]
  - calls: [{ tool: file_write, args: { path: report.md, content: sunny }, answers: [{ approved: true }] }]
  - text: Written.
expect:
  output: { equals: Written. }
  files: { report.md: { equals: sunny } }
`;

Deno.test("test plays cases without network, key or child process; failures make it exit with 1", async () => {
  await using home = await createRealHome({ command: programCommand(OFFLINE) });
  await home.writeAgent(
    "weather",
    "---\nmodel: { provider: openai, name: gpt-5 }\ncustom_tools: [forecast]\nmcp: [web]\n---\n" +
      "Tell the weather.\n",
  );
  const path = join(home.agentsDir, "_config", "tests", "weather", "sunny.yaml");
  await Deno.mkdir(dirname(path), { recursive: true });
  await Deno.writeTextFile(path, CASE);
  const passed = await home.inkling("test");
  assert.deepEqual(
    [passed.code, passed.stdout],
    [0, "✔ weather/sunny\n1 passed, 0 failed\n"],
    passed.stderr,
  );
  await Deno.writeTextFile(path, CASE.replace("equals: sunny", "equals: rainy"));
  const failed = await home.inkling("test");
  assert.equal(failed.code, 1);
  assert.match(failed.stdout, /\n {4}- rainy\n {4}\+ sunny\n0 passed, 1 failed\n$/);
  assert.throws(() => Deno.statSync(join(home.workspace, "report.md")));
  assert.throws(() => Deno.statSync(home.stateDir));
});
