// A run at real terminals of all kinds, and at none: what moves leaves nothing behind, and nothing breaks.
import assert from "node:assert/strict";
import { join } from "node:path";
import { createRealHome, type RealHome, untilFound } from "../real_process.ts";
import { RealTerminal, testInTerminal } from "./real_terminal.ts";

const ANSWER = "# Report\n\nAll is **well** in `notes.md`:\n\n- roses\n- tomatoes";

async function writeReporter(home: RealHome): Promise<void> {
  await Deno.writeTextFile(join(home.workspace, "notes.md"), "one\ntwo\nthree\nfour\nfive\n");
  await home.writeScript("reporter", [
    { call: [{ name: "file_read", arguments: { path: "notes.md" } }] },
    { say: ANSWER, delay_ms: 1_500 },
  ]);
}

testInTerminal(
  "run at a terminal: a moving line, the answer laid out, no trace in the end",
  async () => {
    for (const columns of [80, 40]) {
      await using home = await createRealHome();
      await writeReporter(home);
      const record = join(home.root, "record.txt");
      await using terminal = await RealTerminal.open(home, ["run", "reporter"], {
        columns,
        record,
        env: { NO_COLOR: "" },
      });
      await terminal.waitFor(/\n[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] Thinking · 1s · [\d,]+ tokens$/);
      const { code, shown } = await terminal.ended();
      assert.equal(code, 0);
      assert.match(
        shown,
        /^✔ file_read {2}notes\.md {2}\d+ms\n {4}1 {2}one\n {4}2 {2}two\n {4}3 {2}three\n {4}… 2 more lines\n\nReport\n\nAll is well in notes\.md:\n\n• roses\n• tomatoes\n\n✔ success · /m,
      );
      assert.doesNotMatch(shown, /Thinking|Writing|[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/);
      // Colours were asked for, and came.
      assert.ok((await Deno.readTextFile(record)).includes("\u001b[1mwell\u001b[22m"));
    }
  },
);

testInTerminal("run with TERM=dumb writes no control sequence", async () => {
  await using home = await createRealHome();
  await writeReporter(home);
  const record = join(home.root, "record.txt");
  await using terminal = await RealTerminal.open(home, ["run", "reporter"], {
    record,
    env: { NO_COLOR: "", TERM: "dumb" },
  });
  const { code, shown } = await terminal.ended();
  assert.equal(code, 0);
  assert.match(
    shown,
    /→ file_read {2}notes\.md\n✔ file_read {2}\d+ms\n[^]*\n# Report\n\nAll is well/,
  );
  const recorded = await Deno.readTextFile(record);
  // What Deno itself draws when it loads a module for the first time is not the program's.
  const written = recorded.slice(0, recorded.indexOf("[exit"))
    .replaceAll("\u001b[0G\u001b[2K\u001b[J", "");
  assert.match(written, /All is well/);
  assert.ok(!written.includes("\u001b"), written);
});

testInTerminal("run: Ctrl+C takes the moving line away, and cancels", async () => {
  await using home = await createRealHome();
  await home.writeScript("slow", [{ say: "late", delay_ms: 600_000 }]);
  await using terminal = await RealTerminal.open(home, ["run", "slow"]);
  // The run is watched by then: before, its first line may come after what is said of the cancelling.
  await terminal.waitFor(/execution 1\n[^]*Thinking · \ds$/);
  await terminal.press("C-c");
  const { code, isRestored, shown } = await terminal.ended();
  assert.equal(code, 130);
  assert.ok(isRestored);
  assert.match(shown, /\nCancelling execution 1\. Ctrl\+C again stops waiting for it\n✖ aborted/);
  assert.doesNotMatch(shown, /Thinking|\^C/);
});

testInTerminal(
  "run and chat: a signal takes the moving line away and gives the terminal back",
  async () => {
    for (const command of ["run", "chat"]) {
      await using home = await createRealHome();
      await home.writeScript("slow", [{ say: "late", delay_ms: 600_000 }]);
      await using terminal = await RealTerminal.open(home, [command, "slow"]);
      if (command === "chat") {
        await terminal.waitFor(/^> *$/m);
        await terminal.type("hi");
        await terminal.press("Enter");
      }
      await terminal.waitFor(/Thinking · \ds$/);
      await terminal.signal("SIGTERM");
      const { code, isRestored, shown } = await terminal.ended();
      assert.equal(code, 143);
      assert.ok(isRestored);
      assert.doesNotMatch(shown, /Thinking/);
    }
  },
);

testInTerminal(
  "chat: keys pressed during an answer leave the moving line alone and come at the prompt",
  async () => {
    await using home = await createRealHome();
    await home.writeScript("slow", [{ say: "Here.", delay_ms: 3_000 }]);
    await using terminal = await RealTerminal.open(home, ["chat", "slow"]);
    await terminal.waitFor(/^> *$/m);
    await terminal.type("hi");
    await terminal.press("Enter");
    await terminal.waitFor(/Thinking · 1s$/);
    await terminal.type("next");
    await terminal.waitFor(/Thinking · 2s$/);
    const shown = await terminal.waitFor(/\nHere\.\n\n> next$/);
    assert.doesNotMatch(shown, /Thinking/);
    await terminal.press("C-c");
    assert.equal((await terminal.ended()).code, 0);
  },
);

testInTerminal("start tells what happens, as it happens, and stops at Ctrl+C", async () => {
  await using home = await createRealHome();
  await home.writeScript("hi", [{ say: "hello" }]);
  await home.writeAgent("bad", "---\nsettings: { temperature: 7 }\n---\nx\n");
  await using terminal = await RealTerminal.open(home, ["start"]);
  await terminal.waitFor(/is running \(PID \d+\)[^]*Error: .*bad\.md:2:/);
  assert.equal((await home.inkling("run", "hi", "-q")).code, 0);
  await terminal.waitFor(
    /\n\d\d:\d\d:\d\d → hi · manual · execution 1\n\d\d:\d\d:\d\d ✔ hi · success · \S+ · execution 1$/,
  );
  await terminal.press("C-c");
  const { code, shown } = await terminal.ended();
  assert.equal(code, 0);
  assert.match(shown, /\nStopped\n/);
});

/** Runs a line of shell with the program as `$@`. */
async function shell(
  home: RealHome,
  line: string,
  args: string[],
  before: string[] = [],
): Promise<{ code: number; stdout: string; stderr: string }> {
  const { code, stdout, stderr } = await new Deno.Command("sh", {
    args: ["-c", line, "sh", ...before, ...await home.command(args)],
    env: home.environment(),
    stdin: "null",
  }).output();
  const text = new TextDecoder();
  return { code, stdout: text.decode(stdout), stderr: text.decode(stderr) };
}

Deno.test("commands work with standard input closed", async () => {
  await using home = await createRealHome();
  await home.writeScript("hi", [{ say: "hello" }]);
  for (
    const [args, expected, out] of [
      [["run", "hi", "-q"], 0, /^hello\n$/],
      [["list"], 0, /\nhi /],
      [["chat", "hi", "-q"], 0, /^$/],
      [["run"], 2, /^$/],
    ] as const
  ) {
    const { code, stdout, stderr } = await shell(home, '"$@" <&-', [...args]);
    assert.equal(code, expected, stderr);
    assert.match(stdout, out);
    assert.doesNotMatch(stderr, /Internal error| at /);
  }
});

Deno.test("commands end quietly, as SIGPIPE would end them, in a pipe that closes early", async () => {
  await using home = await createRealHome();
  await home.writeScript("hi", [{ say: "hello" }]);
  assert.equal((await home.inkling("run", "hi")).code, 0);
  for (
    const args of [["list"], ["logs", "hi"], ["logs", "-e", "1"], ["run", "hi"], ["info"], [
      "--help",
    ]]
  ) {
    const { stdout, stderr } = await shell(
      home,
      // The writer begins when the reader has gone; its place tells what became of it.
      'gone=$1; shift; { until [ -e "$gone" ]; do sleep 0.01; done; "$@"; echo "$?" >&3; }' +
        ' 3>&2 2>/dev/null | { exec <&-; : >"$gone"; }; rm "$gone"',
      args,
      [join(home.root, "gone")],
    );
    assert.deepEqual([stdout, stderr], ["", "141\n"], args.join(" "));
  }
});

Deno.test("run goes on in the service when nobody reads its output any more", async () => {
  await using home = await createRealHome();
  await home.writeScript("slow", [{ say: "late", delay_ms: 1_000 }]);
  await home.inkling("start", "-d");
  await shell(home, '"$@" --json 2>/dev/null | exec true', ["run", "slow"]);
  using client = home.client();
  await untilFound("the end of the run", async () => {
    const [execution] = await client.executions();
    return execution?.status === "success" || undefined;
  });
});
