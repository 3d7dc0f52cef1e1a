// Tests of `inkling test` in CI: without keys, without network, and under scoped flags.
import assert from "node:assert/strict";
import { join } from "node:path";
import { programCommand } from "../support/program.ts";
import { createRealHome, type RealHome } from "./real_process.ts";

const OFFLINE = ["--no-prompt", "--allow-read", "--allow-write", "--allow-env", "--allow-sys"];

const WRITE =
  "tool: file_write, args: { path: report.md, content: sunny }, answers: [{ approved: true }]";
const CASE = `version: 1
tools: { http_request: "sunny" }
replies:
  - calls: [{ tool: http_request, args: { method: GET, url: "https://weather.example/" } }]
  - calls: [{ tool: forecast, args: { city: Bonn }, result: rain }]
  - calls: [{ ${WRITE} }]
  - text: Written.
expect:
  output: { equals: Written. }
  files: { report.md: { equals: sunny } }
`;

// A case whose answer does not match the schema. A child process checks the schema, because the schema contains a pattern.
const SPOILT_SCHEMA = `version: 1
replies:
  - calls: [{ ${WRITE} }]
  - text: '{"day": "soon"}'
expect:
  files: { report.md: { equals: sunny } }
  output: { schema: { type: object, required: [day], properties: { day: { pattern: "^\\\\d+$" } } } }
`;

/** Creates a home with an agent `weather`; `front` is further front matter. */
async function createWeather(command?: readonly string[], front = ""): Promise<RealHome> {
  const home = await createRealHome(command === undefined ? {} : { command });
  const model = "model: { provider: openai, name: gpt-5 }";
  await home.writeAgent("weather", `---\n${model}\n${front}---\nTell it.\n`);
  await Deno.mkdir(join(home.agentsDir, "_config", "tests", "weather"), { recursive: true });
  return home;
}

/** Writes the cases and runs them. The cases change no file of the workspace. */
async function play(home: RealHome, cases: Record<string, string>, ...flags: string[]) {
  for (const [name, text] of Object.entries(cases)) {
    const path = join(home.agentsDir, "_config", "tests", "weather", `${name}.yaml`);
    await Deno.writeTextFile(path, text);
  }
  const finished = await home.inkling("test", ...flags);
  assert.throws(() => Deno.statSync(join(home.workspace, "report.md")));
  return finished;
}

Deno.test("`inkling test` needs no network, key or child process, and exits with 1 on failures", async () => {
  await using home = await createWeather(
    programCommand(OFFLINE),
    "custom_tools: [forecast]\nmcp: [web]\n",
  );
  const rainy = CASE.replace("equals: sunny", "equals: rainy");
  const { code, stdout, stderr } = await play(home, { sunny: CASE, rainy });
  assert.equal(code, 1, stderr);
  assert.match(
    stdout,
    /\n {4}- rainy\n {4}\+ sunny\n✔ weather\/sunny\n1 passed, 1 failed\n$/,
  );
  assert.throws(() => Deno.statSync(home.stateDir));
});

Deno.test("`inkling test` checks a schema in a child process under narrow permission flags", async () => {
  await using home = await createWeather();
  const report = join(home.workspace, "report.xml");
  const { code, stdout } = await play(home, { sunny: SPOILT_SCHEMA }, "--junit", report);
  assert.equal(code, 1);
  assert.match(stdout, /\n {2}output\.schema\n[^]*\/day does not fit/);
  assert.match(await Deno.readTextFile(report), /failures="1"/);
});
