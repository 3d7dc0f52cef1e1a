// Tests of the progress line that a run shows at a terminal and then removes.
import assert from "node:assert/strict";
import { beforeEnding } from "../../../cli/prompting/terminal_signals.ts";
import { fakeAgent } from "../../support/fake_agent.ts";
import { settleQuickly } from "../../support/test_clock.ts";
import { until } from "../../support/until.ts";
import { createFakeCli, type FakeCli } from "../fake_cli.ts";
import { assertPicture } from "../picture.ts";
import { VirtualScreen } from "../virtual_screen.ts";
import * as waiting from "../waiting_execution.ts";

interface LiveRun {
  cli: FakeCli;
  screen: VirtualScreen;
  code: Promise<number>;
  /** Advances the clock by this number of seconds. */
  pass(seconds: number): Promise<void>;
}

/** Starts a command at a terminal that can draw, and returns its followed run. */
async function start(
  options: { columns?: number; hasPerson?: boolean; argv?: string[] } = {},
): Promise<LiveRun> {
  const screen = new VirtualScreen({ columns: options.columns ?? 60 });
  const cli = await createFakeCli({ screen, hasPerson: options.hasPerson ?? false });
  cli.runtime.addAgent(fakeAgent("daily"));
  const code = cli.run(...options.argv ?? ["run", "daily"]);
  await until(() => cli.runtime.followers === 1, "the run is followed", settleQuickly);
  return {
    cli,
    screen,
    code,
    async pass(seconds) {
      await settleQuickly();
      await cli.clock.advance(seconds * 1_000);
      await settleQuickly();
    },
  };
}

function call(cli: FakeCli, ...tools: [id: string, path: string][]): void {
  waiting.callTools(cli, 1, ...tools.map(([id, path]) => [id, "file_read", { path }] as const));
}

function answerCall(cli: FakeCli, id: string): void {
  cli.runtime.append(1, "tool_result", {
    tool_call_id: id,
    tool_name: "file_read",
    content: "one\ntwo\nthree\nfour\nfive",
    is_error: false,
    duration_ms: 12,
  });
}

// The first use of the terminal adds listeners for signals, which stay until the process ends.
beforeEnding(() => {})[Symbol.dispose]();

Deno.test("run shows its activity, duration and tokens on a progress line", async (t) => {
  const { cli, screen, code, pass } = await start();
  await using _ = cli;
  await pass(3);
  assert.match(screen.text, /^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] Thinking · 3s$/);
  cli.runtime.append(1, "meta", { event_type: "stats", total_tokens: 1_234 });
  await pass(1);
  assert.match(screen.text, /^. Thinking · 4s · 1,234 tokens$/);
  call(cli, ["a", "notes.md"], ["b", "more.md"]);
  await pass(2);
  assert.match(screen.text, /^. \(and 1 more\) file_read notes\.md · 2s · 1,234 tokens$/);
  answerCall(cli, "a");
  await pass(1);
  assert.match(screen.text, /… 2 more lines\n. file_read more\.md · 1s/);
  answerCall(cli, "b");
  await pass(1);
  assert.match(screen.text, /\n. Thinking · 1s · 1,234 tokens$/);
  waiting.finish(cli, 1, "All is well.");
  assert.equal(await cli.drive(code), 0);
  await assertPicture(t, screen.text, import.meta.url);
});

Deno.test("run shows no activity while it rests, and goes on with the next frame", async () => {
  const { cli, screen, code, pass } = await start();
  await using _ = cli;
  const content = "Rests until Mon 08:00 · the backup";
  const notice = { event_type: "meta", kind: "notice", level: "info", content, pauses: true };
  cli.runtime.append(1, "meta", notice);
  await pass(3);
  assert.match(screen.text, /· Rests until Mon 08:00 · the backup$/);
  answerCall(cli, "a");
  await pass(2);
  assert.match(screen.text, /\n. Thinking · 2s/);
  waiting.finish(cli, 1, "All is well.");
  assert.equal(await cli.drive(code), 0);
});

Deno.test("run shows on the progress line that it waits for a node", async () => {
  const { cli, screen, code, pass } = await start();
  await using _ = cli;
  const { runtime } = cli;
  const execution = await runtime.getExecution(1);
  runtime.executions.set(1, { ...execution, waitsForLabels: ["gpu"] });
  await pass(4);
  assert.match(
    screen.text,
    /^Execution 1 waits for a node with the label gpu\n. Waiting for a node with the label gpu · \ds$/,
  );
  runtime.executions.set(1, execution);
  await pass(3);
  assert.match(screen.text, /gpu\n. Thinking · \ds$/);
  waiting.finish(cli, 1, "Hi.");
  assert.equal(await cli.drive(code), 0);
});

Deno.test("run shows a streaming reply: complete blocks above, the current one below", async () => {
  const { cli, screen, code, pass } = await start();
  await using _ = cli;
  await pass(2);
  cli.runtime.delta(1, "# Report\n\nAll is **we");
  await pass(1);
  assert.match(screen.text, /^\n# Report\n\nAll is \*\*we\n\n. Writing · 3s · ~6 tokens$/);
  cli.runtime.delta(1, "ll**.");
  await pass(1);
  assert.match(screen.text, /^\n# Report\n\nAll is well\.\n\n. Writing · 4s/);
  waiting.finish(cli, 1, "# Report\n\nAll is **well**.");
  assert.equal(await cli.drive(code), 0);
  assert.equal(screen.text, "\n# Report\n\nAll is well.\n\n✔ success · 1.5s · 42 tokens");
});

Deno.test("run never shows a block of a reply twice", async () => {
  const { cli, screen, code, pass } = await start();
  await using _ = cli;
  const words = ["First", "Second", "Third", "Fourth"];
  for (const word of words) {
    cli.runtime.delta(1, `${word} block.`);
    await pass(1);
    cli.runtime.delta(1, "\n\n");
    await pass(1);
  }
  const answer = words.map((word) => `${word} block.\n\n`).join("");
  cli.runtime.append(1, "ai", { content: answer });
  await pass(1);
  cli.runtime.append(1, "final_answer", { content: answer });
  cli.runtime.setStatus(1, "success");
  assert.equal(await cli.drive(code), 0);
  for (const word of words) {
    const seen = screen.pictures.map((picture) => picture.split(`${word} block.`).length - 1);
    assert.equal(Math.max(...seen), 1, word);
  }
});

Deno.test("run keeps the progress line below a note on standard error", async () => {
  const { cli, screen, code, pass } = await start({ hasPerson: true });
  await using _ = cli;
  cli.input.answers = [true];
  cli.runtime.onRespond = (id) => cli.runtime.setStatus(id, "running");
  await pass(1);
  const { prompter } = cli.input;
  const { confirm } = prompter;
  let atQuestion = "";
  prompter.confirm = (question) => {
    atQuestion = screen.text;
    return confirm(question);
  };
  waiting.ask(cli, 1);
  await until(() => cli.runtime.responses.length === 1, "it is answered");
  assert.equal(atQuestion, "\n? file_write\n    path: note.txt");
  await pass(2);
  assert.match(screen.text, /path: note\.txt\n. Thinking · \ds$/);
  assert.ok(cli.interrupt());
  await pass(1);
  assert.match(
    screen.text,
    /path: note\.txt\nCancelling execution 1\. Ctrl\+C again stops waiting for it\n. Thinking/,
  );
  cli.runtime.setStatus(1, "aborted");
  assert.equal(await cli.drive(code), 130);
  assert.doesNotMatch(screen.text, /Thinking/);
});

Deno.test("run's progress line fits a terminal of any width", async () => {
  for (const columns of [40, 20, 12]) {
    const { cli, screen, code, pass } = await start({ columns });
    await using _ = cli;
    call(cli, ["a", "a very long name of a file in a deep folder.md"]);
    await pass(2);
    assert.equal(screen.text.split("\n").length, 1, screen.text);
    answerCall(cli, "a");
    waiting.finish(cli, 1, "Done.");
    assert.equal(await cli.drive(code), 0);
    assert.doesNotMatch(screen.text, /⠋|Thinking/);
  }
});

Deno.test("run -q and run --json have no progress line", async () => {
  for (const flag of ["-q", "--json"]) {
    const { cli, screen, code, pass } = await start({ argv: ["run", "daily", flag] });
    await using _ = cli;
    await pass(3);
    assert.equal(screen.text, "");
    waiting.finish(cli, 1, "Hi.");
    assert.equal(await cli.drive(code), 0);
  }
});

Deno.test("chat shows each turn on a progress line, like run", async () => {
  const screen = new VirtualScreen();
  await using cli = await createFakeCli({ screen, hasPerson: true });
  cli.runtime.addAgent(fakeAgent("daily"));
  cli.input.lines = ["Hello"];
  const code = cli.run("chat", "daily");
  await until(() => cli.runtime.followers === 1, "the turn is followed", settleQuickly);
  await settleQuickly();
  await cli.clock.advance(2_000);
  await settleQuickly();
  assert.match(screen.text, /\n. Thinking · 2s$/);
  // The prompt ignores keys during a turn, because their echo would break the progress line.
  assert.ok(cli.input.isMuted);
  waiting.finish(cli, 1, "Hello *yourself*.");
  assert.equal(await cli.drive(code), 0);
  assert.ok(!cli.input.isMuted);
  assert.match(
    screen.text,
    /\n\nHello yourself\.\n\n1 turn · 42 tokens · [\d.]+s\nContinue with: inkling chat daily --session [\w-]+$/,
  );
  assert.doesNotMatch(screen.text, /Thinking/);
});
