// Tests of a run at several kinds of terminal and without one. The progress line never remains.
import assert from "node:assert/strict";
import { join } from "node:path";
import { OpenAiServer } from "../../support/models/openai_server.ts";
import { createRealHome, finish, type RealHome, untilFound } from "../real_process.ts";
import { RealTerminal, testInTerminal as test } from "./real_terminal.ts";

const ANSWER = "# Report\n\nAll is **well** in `notes.md`:\n\n- roses\n- tomatoes";

/** Creates a home with an agent whose model is this server. */
async function createServedHome(server: OpenAiServer): Promise<RealHome> {
  const home = await createRealHome({ shell: { MINE_API_KEY: "sk-e2e-0123456789" } });
  await Deno.writeTextFile(join(home.workspace, "notes.md"), "one\ntwo\nthree\nfour\nfive\n");
  await home.writeAgent(
    "reporter",
    `---\nmodel: { provider: mine, name: tiny, base_url: "${server.url}" }\n---\nReport.\n`,
  );
  return home;
}

const READ = { toolCalls: [{ name: "file_read", arguments: { path: "notes.md" } }] };

test("run at a terminal shows a progress line and removes it, also after Ctrl+C and SIGTERM", async () => {
  const { promise: after, resolve: reply } = Promise.withResolvers<void>();
  await using server = new OpenAiServer([READ, { text: ANSWER, after }, READ, { text: ANSWER }]);
  // Disposing the server waits for its requests, so the reply must end even if the test fails.
  using _ = { [Symbol.dispose]: reply };
  await using home = await createServedHome(server);
  await home.writeScript("slow", [{ say: "late", delay_ms: 600_000 }]);
  const record = join(home.root, "record.txt");
  {
    await using terminal = await RealTerminal.open(home, ["run", "reporter"], {
      ...{ columns: 40, record, env: { NO_COLOR: "" } },
    });
    await terminal.waitFor(/\n[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] Thinking · \d+s · [\d,]+ tokens$/);
    reply();
    const shown = await terminal.endsWith(0);
    assert.match(
      shown,
      /^✔ file_read {2}notes\.md {2}\d+ms\n {4}1 {2}one\n {4}2 {2}two\n {4}3 {2}three\n {4}… 2 more lines\n\nReport\n\nAll is well in notes\.md:\n\n• roses\n• tomatoes\n\n✔ success · /m,
    );
    assert.doesNotMatch(shown, /Thinking|Writing|[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/);
    // The terminal supports colors, so the output contains them.
    assert.ok((await Deno.readTextFile(record)).includes("\u001b[1mwell\u001b[22m"));
  }
  const dumb = join(home.root, "dumb.txt");
  {
    await using terminal = await RealTerminal.open(home, ["run", "reporter"], {
      ...{ record: dumb, env: { NO_COLOR: "", TERM: "dumb" } },
    });
    assert.match(
      await terminal.endsWith(0),
      /→ file_read {2}notes\.md\n✔ file_read {2}\d+ms\n[^]*\n# Report\n\nAll is well/,
    );
  }
  const recorded = await Deno.readTextFile(dumb);
  const written = recorded.slice(0, recorded.indexOf("[exit"));
  assert.match(written, /All is well/);
  assert.ok(!written.includes("\u001b"), written);
  await endByKeyAndSignal(home);
});

/** Checks that Ctrl+C cancels an execution, and that SIGTERM restores the terminal. */
async function endByKeyAndSignal(home: RealHome): Promise<void> {
  for (const [index, code] of [130, 143].entries()) {
    await using terminal = await RealTerminal.open(home, ["run", "slow"]);
    // Waits for the first line of the followed run, which could otherwise appear after the note about the cancellation.
    const first = await terminal.waitFor(
      new RegExp(`execution ${index + 3}\n[^]*Thinking · \\d+s$`),
    );
    // SIGCONT without a preceding stop also redraws the line.
    await terminal.signal("SIGCONT");
    await terminal.waitFor(new RegExp(`Thinking · (?!${/\d+s$/.exec(first)?.[0]}$)\\d+s$`));
    if (code === 130) await terminal.press("C-c");
    else await terminal.signal("SIGTERM");
    const shown = await terminal.endsWith(code);
    assert.doesNotMatch(shown, /Thinking|\^C/);
    if (code === 143) continue;
    assert.match(shown, /\nCancelling execution 3\. Ctrl\+C again stops waiting for it\n✖ aborted/);
  }
}

test("start prints events live, and stops at Ctrl+C", async () => {
  await using home = await createRealHome();
  await home.writeScript("hi", [{ say: "hello" }]);
  await home.writeAgent("bad", "---\nsettings: { temperature: 7 }\n---\nx\n");
  await using terminal = await RealTerminal.open(home, ["start"]);
  await terminal.waitFor(/is running \(PID \d+\)[^]*Error: .*bad\.md:2:/);
  await home.succeed("run", "hi", "-q");
  await terminal.waitFor(
    /\n\d\d:\d\d:\d\d → hi · manual · execution 1\n\d\d:\d\d:\d\d ✔ hi · success · \S+ · execution 1$/,
  );
  await terminal.press("C-c");
  const shown = await terminal.endsWith(0);
  assert.match(shown, /\nStopped\n/);
});

/** Runs a shell command line in which `$@` is the program. */
async function shell(home: RealHome, line: string, args: string[], before: string[] = []) {
  return await finish(
    new Deno.Command("sh", {
      args: ["-c", line, "sh", ...before, ...await home.command(args)],
      env: home.environment(),
      stdin: "null",
    }),
  );
}

Deno.test("commands work with piped and closed standard input, and exit with 141 at a closed pipe", async () => {
  await using home = await createRealHome();
  await home.writeScript("hi", [{ say: "hello" }]);
  await home.writeScript("slow", [{ say: "late", delay_ms: 1_000 }]);
  await home.writeAgent("echo", "---\nmodel: { provider: demo, name: echo }\n---\nSay it.\n");
  await chatFromPipe(home);
  for (
    const [args, expected, out] of [[["run", "hi", "-q"], 0, "hello\n"], [["run"], 2, ""]] as const
  ) {
    const { code, stdout, stderr } = await shell(home, '"$@" <&-', [...args]);
    assert.deepEqual([code, stdout], [expected, out], stderr);
    assert.doesNotMatch(stderr, /Internal error| at /);
  }
  const { stdout, stderr } = await shell(
    home,
    // The writer starts the program after the reader has ended, and prints the program's exit code on standard error.
    'gone=$1; shift; { until [ -e "$gone" ]; do sleep 0.01; done; "$@"; echo "$?" >&3; }' +
      ' 3>&2 2>/dev/null | { exec <&-; : >"$gone"; }',
    ["run", "hi"],
    [join(home.root, "gone")],
  );
  assert.deepEqual([stdout, stderr], ["", "141\n"]);
  await shell(home, '"$@" --json 2>/dev/null | exec true', ["run", "slow"]);
  using client = home.client();
  await untilFound(
    "the end of the run",
    async () => (await client.runs("slow"))[0]?.status === "success",
  );
});

/** Checks that a chat from a pipe prints only answers on standard output. */
async function chatFromPipe(home: RealHome): Promise<void> {
  const child = await home.spawn(["chat", "echo"], { stdin: "piped" });
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode("one\n\nZoë 🚀"));
  await writer.close();
  const { code, stdout, stderr } = await finish(child);
  assert.equal(code, 0, stderr);
  assert.equal(stdout, "one\nZoë 🚀\n");
  assert.match(stderr, /^Starting the service\n2 turns · /);
}
