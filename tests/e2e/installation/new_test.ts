// Tests of `inkling new` at a real terminal and without one.
import assert from "node:assert/strict";
import { join } from "node:path";
import { OpenAiServer } from "../../support/models/openai_server.ts";
import { converse, type Turn } from "../terminal/dialog.ts";
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
  await terminal.type("end");
  await terminal.waitFor(/> end$/);
  // Ctrl+D within a line ends the prompt, too, and deletes no character.
  await terminal.press("Left", "Left", "C-d");
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
end
`,
  );
});

testInTerminal(
  "new: Ctrl+C in a half-typed prompt saves nothing and restores the terminal",
  async () => {
    await using home = await createRealHome();
    const model = ["--provider", "demo", "--model", "echo"];
    const flags = ["--description", "x", ...model, "--path", "notes", "--every", "30m"];
    await using terminal = await RealTerminal.open(home, ["new", "half", ...flags]);
    await converse(terminal, TURNS.slice(4, 5));
    await terminal.waitFor(/System prompt[^]*\n> *$/);
    await terminal.type("Half a");
    await terminal.press("Enter");
    await terminal.waitFor(/> Half a\n> *$/);
    await terminal.press("C-c");
    assert.match(await terminal.endsWith(130), /Nothing was saved/);
    assert.deepEqual(agents(home), []);
  },
);

testInTerminal("new: Ctrl+C stops the configured model and saves nothing", async () => {
  await using server = new OpenAiServer([{ silent: true }]);
  await using home = await createRealHome({
    config:
      `workspace: ~/work\ndefaults: {provider: mine, model: tiny, base_url: "${server.url}"}\n`,
    shell: { MINE_API_KEY: "sk-e2e-0123456789" },
  });
  await using terminal = await RealTerminal.open(home, ["new", "daily"]);
  await converse(terminal, [BEGINNING, { question: /What should daily do/, answer: "Greet me" }]);
  await server.received(1);
  await terminal.press("C-c");
  await terminal.endsWith(130);
  assert.deepEqual(agents(home), []);
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
