// What `inkling complete <shell>` answers: the protocol that the shells' scripts speak.
import assert from "node:assert/strict";
import { fakeAgent } from "../../support/fake_agent.ts";
import { createFakeCli, type FakeCli } from "../fake_cli.ts";
import { ask as askPerson } from "../waiting_execution.ts";

/** The candidates for the last word, and what a shell is to do without any. */
async function complete(
  cli: FakeCli,
  ...words: string[]
): Promise<{ values: string[]; fallback: string }> {
  const { candidates, fallback } = await ask(cli, "zsh", words);
  return { values: candidates.map((line) => line.split("\t")[0] ?? ""), fallback };
}

async function ask(
  cli: FakeCli,
  shell: string,
  words: readonly string[],
): Promise<{ candidates: string[]; fallback: string }> {
  cli.stdout.text = "";
  assert.equal(await cli.drive(cli.run("complete", shell, "--", ...words)), 0);
  assert.equal(cli.stderr.text, "");
  const lines = cli.stdout.text.split("\n");
  assert.equal(lines.pop(), "");
  const fallback = lines.pop() ?? "";
  assert.match(fallback, /^:(none|files|directories)$/);
  return { candidates: lines, fallback: fallback.slice(1) };
}

Deno.test("complete offers commands, with what they do, and no hidden one", async () => {
  await using cli = await createFakeCli();
  const { values } = await complete(cli, "");
  for (const name of ["setup", "new", "start", "run", "update", "ui", "completions", "help"]) {
    assert.ok(values.includes(name), name);
  }
  assert.ok(!values.includes("complete"));
  assert.deepEqual(await complete(cli, "st"), {
    values: ["start", "status", "stop"],
    fallback: "none",
  });
  const { candidates } = await ask(cli, "fish", ["stat"]);
  assert.deepEqual(candidates, ["status\tShow whether the service is running"]);
  assert.deepEqual((await complete(cli, "help", "val")).values, ["validate"]);
  assert.deepEqual((await complete(cli, "nonsense", "")).values, []);
});

Deno.test("complete offers the options of the command that is named, and of the program before", async () => {
  await using cli = await createFakeCli();
  const { values } = await complete(cli, "run", "--");
  for (const name of ["--detach", "--message", "--json", "--quiet", "--workspace", "--help"]) {
    assert.ok(values.includes(name), name);
  }
  assert.ok((await complete(cli, "-")).values.includes("--version"));
  assert.deepEqual((await complete(cli, "run", "daily", "--det")).values, ["--detach"]);
  assert.deepEqual((await complete(cli, "run", "-d")).values, ["-d"]);
  assert.deepEqual((await complete(cli, "list", "--det")).values, []);
  assert.deepEqual((await complete(cli, "run", "--", "--det")).values, []);
});

Deno.test("complete offers the choices of an argument, once", async () => {
  await using cli = await createFakeCli();
  assert.deepEqual((await complete(cli, "completions", "")).values, ["bash", "zsh", "fish"]);
  assert.deepEqual((await complete(cli, "completions", "zsh", "")).values, []);
});

Deno.test("completions without a shell is for the person's own, or says what to type", async () => {
  for (
    const [SHELL, isTerminal, code, printed] of [
      ["/usr/bin/fish", false, 0, /^# Completion of inkling for fish/],
      ["/bin/zsh", true, 0, /^To install it for zsh: inkling completions zsh/],
      ["/bin/csh", false, 2, /^Error: Which shell\? SHELL names \/bin\/csh, .*completions bash, /],
      ["", true, 2, /^Error: Which shell\? SHELL is not set/],
    ] as const
  ) {
    await using cli = await createFakeCli({ isTerminal });
    cli.environment = { SHELL };
    assert.equal(await cli.run("completions"), code);
    assert.match(cli.stdout.text + cli.stderr.text, printed);
  }
});

Deno.test("complete offers agents of the service where an id belongs, and nowhere else", async () => {
  await using cli = await createFakeCli();
  cli.runtime.addAgent(fakeAgent("daily", { description: "Writes\tthe\nreport" }));
  cli.runtime.addAgent(fakeAgent("my agent"));
  const places: string[][] = [
    ["run"],
    ["chat"],
    ["logs"],
    ["validate"],
    ["checkpoint", "--agent"],
    ["-q", "run", "-v", "--message", "run"],
    ["--workspace", "notes", "run"],
    ["-wnotes", "chat"],
    ["run", "--"],
  ];
  for (const words of places) {
    assert.deepEqual(
      (await complete(cli, ...words, "")).values,
      ["daily", "my agent"],
      words.join(),
    );
  }
  assert.deepEqual((await complete(cli, "checkpoint", "--agent=d")).values, ["--agent=daily"]);
  for (const words of [["chat", "daily"], ["new"], ["list"], ["stop"], ["run", "--message"]]) {
    assert.deepEqual((await complete(cli, ...words, "d")).values, [], words.join());
  }
  const { candidates } = await ask(cli, "zsh", ["run", "d"]);
  assert.deepEqual(candidates, ["daily\tWrites the report"]);
});

Deno.test("complete offers an agent whose id looks like an option only where it is read as an id", async () => {
  await using cli = await createFakeCli();
  for (const id of ["-x", "-5", "daily"]) cli.runtime.addAgent(fakeAgent(id));
  assert.deepEqual((await complete(cli, "run", "")).values, ["-5", "daily"]);
  assert.deepEqual((await complete(cli, "run", "--", "")).values, ["-x", "-5", "daily"]);
  assert.deepEqual((await complete(cli, "run", "--", "-")).values, ["-x", "-5"]);
  assert.deepEqual((await complete(cli, "checkpoint", "--agent", "-x")).values, ["-x"]);
});

Deno.test("complete names agents by their files when no service answers, or one is silent", async () => {
  await using cli = await createFakeCli({ isRunning: false });
  cli.agentNames = ["daily", "weekly"];
  assert.deepEqual((await complete(cli, "run", "")).values, ["daily", "weekly"]);
  assert.equal(cli.localOpened, 0, "the application is not loaded for a press of a key");
  cli.transport = () => new Promise<never>(() => {});
  assert.deepEqual((await complete(cli, "run", "w")).values, ["weekly"]);
  cli.transport = () => Promise.resolve(new Response("nonsense"));
  assert.deepEqual((await complete(cli, "run", "w")).values, ["weekly"]);
});

Deno.test("complete offers the executions that wait to respond, and any to logs -e", async () => {
  await using cli = await createFakeCli();
  cli.runtime.addAgent(fakeAgent("daily"));
  const { id } = cli.runtime.addExecution({ agentId: "daily" });
  askPerson(cli, id);
  const waiting = String(id);
  const { values } = await complete(cli, "respond", "");
  assert.deepEqual(values, [waiting]);
  assert.deepEqual((await complete(cli, "logs", "-e", "")).values, [waiting]);
  assert.deepEqual((await complete(cli, "logs", "nobody", "--execution", "")).values, []);
  assert.deepEqual((await complete(cli, "respond", waiting, "--te")).values, ["--text"]);
  const { candidates } = await ask(cli, "zsh", ["respond", ""]);
  assert.match(candidates[0] ?? "", /^\d+\tdaily, waiting, /);
  // What waits outlives the service.
  cli.isRunning = false;
  assert.deepEqual((await complete(cli, "respond", "")).values, [waiting]);
  assert.equal(cli.localOpened, 1);
});

Deno.test("complete offers the executions of an agent whose accents were typed in the other form of Unicode", async () => {
  await using cli = await createFakeCli();
  const { id } = cli.runtime.addExecution({ agentId: "café".normalize("NFC") });
  cli.runtime.addExecution({ agentId: "daily" });
  const { values } = await complete(cli, "logs", "café".normalize("NFD"), "-e", "");
  assert.deepEqual(values, [String(id)]);
});

Deno.test("complete leaves files and folders to the shell", async () => {
  await using cli = await createFakeCli({ isRunning: false });
  const cases: [fallback: string, words: string[]][] = [
    ["directories", ["-w", ""]],
    ["directories", ["run", "--workspace", "~/no"]],
    ["directories", ["--workspace=no"]],
    ["files", ["validate", "./dra"]],
    ["files", ["run", "translate", "no"]],
    ["files", ["run", "translate", "a.md", "b", ""]],
    ["files", ["new", "x", "--watch", "in"]],
    ["none", ["new", "x", "--cron", ""]],
    ["none", ["--unknown=x"]],
  ];
  for (const [fallback, words] of cases) {
    assert.deepEqual(await complete(cli, ...words), { values: [], fallback }, words.join(" "));
  }
});

Deno.test("complete for bash speaks in its pieces of words, and quotes as the person did", async () => {
  await using cli = await createFakeCli();
  cli.runtime.addAgent(fakeAgent("my agent"));
  const cases: [words: string[], values: string[]][] = [
    [["run", "m"], ["my\\ agent"]],
    [["run", "my\\ a"], ["my\\ agent"]],
    [["run", '"my a'], ["my agent"]],
    [["run", "'my"], ["my agent"]],
    [["checkpoint", "--agent", "=", "m"], ["my\\ agent"]],
    [["checkpoint", "--agent", "="], ["my\\ agent"]],
    [["--workspace", "=", "a", ":", "b", "run", "m"], ["my\\ agent"]],
    [["run", "x"], []],
    [["new", "--base-url", "http", ":", "//x", "--mo"], ["--model"]],
  ];
  for (const [words, values] of cases) {
    assert.deepEqual((await ask(cli, "bash", words)).candidates, values, words.join(" "));
  }
  assert.ok((await ask(cli, "bash", [])).candidates.includes("run"), "no word at all");
});

Deno.test("complete says nothing, and fails at nothing, whatever goes wrong", async () => {
  await using cli = await createFakeCli({ isRunning: false });
  const app = { ...cli.app, agentNames: () => Promise.reject(new Error("config.yaml is broken")) };
  cli.app = app;
  assert.deepEqual(await complete(cli, "run", ""), { values: [], fallback: "none" });
  cli.stdout.text = "";
  assert.equal(await cli.drive(cli.run("-v", "complete", "zsh", "--", "run", "")), 0);
  assert.equal(cli.stderr.text, "Error: config.yaml is broken\n");
});
