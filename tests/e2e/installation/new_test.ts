// Tests of `inkling new` at a real terminal and without one.
import assert from "node:assert/strict";
import { join } from "node:path";
import { OpenAiServer } from "../../support/models/openai_server.ts";
import { converse, interruptAt, type Turn } from "../terminal/dialog.ts";
import { createRealHome, type RealHome } from "../real_process.ts";
import { RealTerminal, testInTerminal } from "../terminal/real_terminal.ts";

/** The default answer is the model, or the questions if there is no model. */
const BEGINNING: Turn = { question: /How should .* begin/, answer: "" };

const TURNS: readonly Turn[] = [
  { question: /One-line description/, answer: "Zoë's: 日本 🚀" },
  { question: /Model provider/, answer: "" },
  { question: /When should it run/, answer: ["Down", "Enter"] },
  { question: /How often/, answer: "30m" },
  { question: /will ask for your approval/, answer: "" },
  { question: /read from/, answer: "notes" },
  { question: /write to/, answer: "" },
];

const agents = (home: RealHome) => [...Deno.readDirSync(home.agentsDir)].map(({ name }) => name);

testInTerminal("new asks its questions and accepts a typed or pasted prompt", async () => {
  await using home = await createRealHome();
  await using terminal = await RealTerminal.open(home, ["new", "my agent"]);
  await converse(terminal, [BEGINNING, ...TURNS]);
  await terminal.waitFor(/System prompt[^]*\n> *$/);
  await terminal.type("Read it.");
  await terminal.press("Enter");
  await terminal.waitFor(/> Read it\.\n> *$/);
  await terminal.paste("One\n\n\n\ntwo");
  await terminal.waitFor(/> One\n\n\n\ntwo$/);
  await terminal.press("Enter");
  await terminal.waitFor(/two\n> *$/);
  await terminal.paste("a\n\n\nb\n", { unmarked: true });
  await terminal.waitFor(/> a\n[^]*> b\n> *$/);
  await terminal.press("C-d");
  const shown = await terminal.endsWith(0);
  assert.match(shown, /inkling run "my agent"/);
  assert.equal(
    await Deno.readTextFile(join(home.agentsDir, "my agent.md")),
    `---
description: "Zoë's: 日本 🚀"
trigger:
  type: schedule
  every: 30m
paths:
  - path: notes
    description: to read from
confirm:
  - file_delete
  - file_write
---

Read it.
One



two
a


b
`,
  );
});

/** The answers that choose another provider and a watch trigger. */
const OTHER_TURNS: readonly Turn[] = [
  { question: /One-line description/, answer: "" },
  { question: /Model provider/, answer: ["Up", "Enter"] },
  { question: /Provider name/, answer: "elsewhere" },
  { question: /Base URL/, answer: "http://127.0.0.1:9/v1" },
  { question: /Model/, answer: "tiny" },
  { question: /When should it run/, answer: ["Down", "Down", "Enter"] },
];

testInTerminal(
  "new: Ctrl+C at the last question saves nothing and restores the terminal",
  async () => {
    await using home = await createRealHome();
    await using terminal = await RealTerminal.open(home, ["new", "daily", "-t"]);
    await converse(terminal, OTHER_TURNS);
    await interruptAt(terminal, /Files and folders to watch/);
    assert.match(await terminal.endsWith(130), /Nothing was saved/);
    assert.deepEqual(agents(home), []);
  },
);

const DESCRIBED: Turn = { question: /What should daily do/, answer: "Greet me" };

/** Creates a home that has this server as the configured model. */
function createModelHome(server: OpenAiServer): Promise<RealHome> {
  return createRealHome({
    config:
      `workspace: ~/work\ndefaults: {provider: mine, model: tiny, base_url: "${server.url}"}\n`,
    shell: { MINE_API_KEY: "sk-e2e-0123456789" },
  });
}

testInTerminal(
  "new: Ctrl+D ends the prompt, and Ctrl+C saves nothing",
  async () => {
    await using home = await createRealHome();
    const flags = [
      "--description",
      "x",
      "--provider",
      "demo",
      "--model",
      "echo",
      "--path",
      "notes",
    ];
    const openPrompt = async (id: string) => {
      const terminal = await RealTerminal.open(home, ["new", id, "--every", "30m", ...flags]);
      await converse(terminal, TURNS.slice(4, 5));
      await terminal.waitFor(/System prompt[^]*\n> *$/);
      return terminal;
    };
    const endsWith = async (id: string, text: string) => {
      const saved = await Deno.readTextFile(join(home.agentsDir, `${id}.md`));
      assert.ok(saved.endsWith(`---\n\n${text}\n`), saved);
    };
    {
      await using terminal = await openPrompt("pasted");
      await terminal.paste("One\n\ntwo");
      await terminal.waitFor(/> One\n\ntwo$/);
      await terminal.press("Left", "Left", "C-d");
      await terminal.endsWith(0);
      await endsWith("pasted", "One\n\ntwo");
    }
    {
      await using terminal = await openPrompt("typed");
      await terminal.press("D", "o", "Enter", "i", "t", "C-d");
      await terminal.endsWith(0);
      await endsWith("typed", "Do\nit");
    }
    await using terminal = await openPrompt("half");
    await terminal.type("Half a");
    await terminal.press("Enter");
    await terminal.waitFor(/> Half a\n> *$/);
    await terminal.press("C-c");
    await terminal.endsWith(130);
    assert.ok(!agents(home).includes("half.md"));
  },
);

testInTerminal("new lets the configured model write the file, and Ctrl+C stops it", async () => {
  const draft = "---\ndescription: Greets\n---\n\nSay hello.\n";
  await using server = new OpenAiServer([{ silent: true }, { text: draft }]);
  await using home = await createModelHome(server);
  {
    await using terminal = await RealTerminal.open(home, ["new", "daily"]);
    await converse(terminal, [BEGINNING, DESCRIBED]);
    await server.received(1);
    await terminal.press("C-c");
    await terminal.endsWith(130);
    assert.deepEqual(agents(home), []);
  }
  await using terminal = await RealTerminal.open(home, ["new", "daily"]);
  await converse(terminal, [BEGINNING, DESCRIBED]);
  const shown = await terminal.waitFor(/Save it as daily\.md/);
  assert.ok(shown.includes(draft.trim()), shown);
  await converse(terminal, [{ question: /Save it as daily\.md/, answer: "" }]);
  await terminal.endsWith(0);
  assert.equal(await Deno.readTextFile(join(home.agentsDir, "daily.md")), draft);
  server.assertDone();
});

testInTerminal("new copies an agent of the gallery, whose test cases pass", async () => {
  await using home = await createRealHome();
  await using terminal = await RealTerminal.open(home, ["new", "--from", "website-check"]);
  await converse(terminal, [
    { question: /The agent's id/, answer: "watcher" },
    { question: /When should it run by itself/, answer: ["Down", "Enter"] },
  ]);
  assert.match(await terminal.endsWith(0), /It runs every 1h, next at/);
  assert.match(
    await Deno.readTextFile(join(home.agentsDir, "watcher.md")),
    /You check websites as a visitor would/,
  );
  await home.succeed("new", "--from", "rss-digest", "--yes");
  const { stdout } = await home.succeed("test");
  assert.match(stdout, /\n4 passed, 0 failed/);
});

Deno.test("new reads everything from options and a pipe", async () => {
  await using home = await createRealHome();
  const args = ["new", "piped", "-q", "--every", "1h30m", "--prompt", "-"];
  const child = await home.spawn(args, { stdin: "piped" });
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode("Do it,\nZoë 🚀.\n"));
  await writer.close();
  const { code, stdout, stderr } = await child.output();
  const text = new TextDecoder();
  assert.equal(code, 0, text.decode(stderr));
  const path = join(home.agentsDir, "piped.md");
  assert.equal(text.decode(stdout), `${path}\n`);
  assert.equal(
    await Deno.readTextFile(path),
    "---\ntrigger:\n  type: schedule\n  every: 1h30m\n---\n\nDo it,\nZoë 🚀.\n",
  );
  assert.equal((Deno.statSync(path).mode ?? 0) & 0o777, 0o666 & ~Deno.umask());
});
