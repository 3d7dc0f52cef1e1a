// Tests of `inkling setup` at a real terminal and without one.
import assert from "node:assert/strict";
import { join } from "node:path";
import { parse } from "yaml";
import { OpenAiServer } from "../../support/models/openai_server.ts";
import { converse, type Turn } from "../terminal/dialog.ts";
import { createRealHome, type RealHome } from "../real_process.ts";
import { RealTerminal, testInTerminal } from "../terminal/real_terminal.ts";

const KEY = "sk-e2e-0123456789abcdef";
const modeOf = (path: string) => (Deno.statSync(path).mode ?? 0) & 0o777;

/** Creates a home without a setup. */
async function createNewHome(): Promise<RealHome> {
  const home = await createRealHome();
  await Deno.remove(home.configDir, { recursive: true });
  await Deno.remove(home.workspace, { recursive: true });
  return home;
}

const inWorkspace = (home: RealHome, ...path: string[]) =>
  join(home.root, "inkling", "agents", ...path);

/** Returns the answers of a first setup with the endpoint at this address. */
function firstSetup(url: string): Turn[] {
  return [
    { question: /Workspace/, answer: "" },
    { question: /Model provider/, answer: ["Up", "Enter"] },
    { question: /Provider name/, answer: "elsewhere" },
    { question: /Base URL/, answer: url },
    { question: /Model/, answer: "tiny" },
    { question: /API key \(ELSEWHERE_API_KEY\)/, answer: KEY },
    { question: /Test the model/, answer: "" },
    { question: /Change the limits/, answer: "" },
    { question: /Write .*config\.yaml/, answer: "" },
    { question: /Where should Inkling reach you/, answer: "" },
  ];
}

testInTerminal("setup creates an installation in which the first agent runs", async () => {
  await using server = new OpenAiServer([{ text: "ready" }, { text: "Hello there." }]);
  await using home = await createNewHome();
  await using terminal = await RealTerminal.open(home, ["setup"]);
  await converse(terminal, firstSetup(server.url));
  const shown = await terminal.endsWith(0);
  assert.ok(!shown.includes(KEY));
  assert.match(shown, /The model answers/);
  assert.deepEqual(parse(await Deno.readTextFile(join(home.configDir, "config.yaml"))), {
    workspace: "~/inkling",
    defaults: {
      ...{ provider: "elsewhere", model: "tiny", base_url: server.url },
      confirm_tools: ["file_delete", "file_write", "file_edit", "file_move"],
      mcp_confirm: "writes",
    },
  });
  assert.equal(modeOf(inWorkspace(home, "_config", ".env")), 0o600);
  const run = await home.inkling("run", "hello", "-q");
  assert.deepEqual([run.code, run.stdout], [0, "Hello there.\n"], run.stderr);
  assert.equal(server.request(1).headers.get("authorization"), `Bearer ${KEY}`);
});

testInTerminal(
  "setup: Ctrl+C at the hidden key writes nothing and restores the terminal",
  async () => {
    await using home = await createNewHome();
    await using terminal = await RealTerminal.open(home, ["setup"]);
    const answers = firstSetup("http://127.0.0.1:9/v1").slice(0, 5);
    await converse(terminal, [...answers, { question: /API key/, answer: ["C-c"] }]);
    assert.match(await terminal.endsWith(130), /Nothing was written/);
    for (const path of [home.configDir, join(home.root, "inkling")]) {
      await assert.rejects(Deno.stat(path), Deno.errors.NotFound);
    }
  },
);

testInTerminal(
  "setup: Ctrl+C during the test of the model ends it, and writes nothing",
  async () => {
    await using server = new OpenAiServer([{ silent: true }]);
    await using home = await createNewHome();
    await using terminal = await RealTerminal.open(home, ["setup"]);
    await converse(terminal, firstSetup(server.url).slice(0, 7));
    await server.received(1);
    await terminal.press("C-c");
    await terminal.endsWith(130);
    await assert.rejects(Deno.stat(home.configDir), Deno.errors.NotFound);
  },
);

Deno.test("setup --yes needs no terminal, and keeps the existing settings", async () => {
  const config = "# mine\nworkspace: ~/inkling\nforeign: 1 # kept\n";
  await using home = await createRealHome({ config, shell: { OPENAI_API_KEY: KEY } });
  const first = await home.succeed("setup", "--yes", "--provider", "openai", "--timeout", "60");
  assert.equal(first.stderr, "");
  const file = join(home.configDir, "config.yaml");
  const text = await Deno.readTextFile(file);
  assert.ok(text.startsWith(config), text);
  assert.equal(parse(text).defaults.timeout, 60);
  assert.ok(!(await Deno.readTextFile(inWorkspace(home, "_config", ".env"))).includes(KEY));
  assert.deepEqual([...Deno.readDirSync(inWorkspace(home))].map(({ name }) => name).sort(), [
    "_config",
    "hello.md",
  ]);
});
