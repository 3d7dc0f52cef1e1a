// `inkling test` as a CI starts it: no key, and no permission for the network or for other programs; and under scoped flags.
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
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

// A schema is checked in a process of its own.
const WITH_SCHEMA = `version: 1
replies:
  - calls: [{ ${WRITE} }]
  - text: '{"day": "12"}'
expect:
  files: { report.md: { equals: sunny } }
  output: { schema: { type: object, required: [day], properties: { day: { pattern: "^\\\\d+$" } } } }
`;

/** Plays a case that passes, then a spoilt one. */
async function playTwice(
  home: RealHome,
  { text, spoilt, front = "", flags = [], shown }: {
    text: string;
    spoilt: string;
    front?: string;
    flags?: string[];
    shown: RegExp;
  },
): Promise<void> {
  const model = "model: { provider: openai, name: gpt-5 }";
  await home.writeAgent("weather", `---\n${model}\n${front}---\nTell it.\n`);
  const path = join(home.agentsDir, "_config", "tests", "weather", "sunny.yaml");
  await Deno.mkdir(dirname(path), { recursive: true });
  await Deno.writeTextFile(path, text);
  const { code, stdout, stderr } = await home.inkling("test", ...flags);
  assert.deepEqual([code, stdout], [0, "✔ weather/sunny\n1 passed, 0 failed\n"], stderr);
  await Deno.writeTextFile(path, spoilt);
  const failed = await home.inkling("test");
  assert.equal(failed.code, 1);
  assert.match(failed.stdout, shown);
  assert.throws(() => Deno.statSync(join(home.workspace, "report.md")));
}

Deno.test("test plays cases without network, key or child process; failures make it exit with 1", async () => {
  await using home = await createRealHome({ command: programCommand(OFFLINE) });
  await playTwice(home, {
    text: CASE,
    spoilt: CASE.replace("equals: sunny", "equals: rainy"),
    front: "custom_tools: [forecast]\nmcp: [web]\n",
    shown: /\n {4}- rainy\n {4}\+ sunny\n0 passed, 1 failed\n$/,
  });
  assert.throws(() => Deno.statSync(home.stateDir));
});

Deno.test("test plays cases under scoped flags, with a schema that is checked in a process of its own", async () => {
  await using home = await createRealHome();
  await playTwice(home, {
    text: WITH_SCHEMA,
    spoilt: WITH_SCHEMA.replace('"12"', '"soon"'),
    flags: ["--junit", join(home.workspace, "report.xml")],
    shown: /\n {2}output\.schema\n[^]*\/day does not fit/,
  });
});
