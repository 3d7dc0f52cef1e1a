// Tests of `inkling complete <shell>`, which answers the completion scripts.
import assert from "node:assert/strict";
import { fakeAgent } from "../../support/fake_agent.ts";
import { createFakeCli, type FakeCli } from "../fake_cli.ts";
import { picturesOf } from "../picture.ts";
import { ask as askPerson } from "../waiting_execution.ts";

const shows = picturesOf(import.meta.url);

/** Completes the last word of each line and compares the results with the snapshot. */
async function completes(
  t: Deno.TestContext,
  cli: FakeCli,
  lines: readonly (readonly string[])[],
  { shell = "zsh" }: { shell?: string } = {},
): Promise<void> {
  for (const words of lines) await shows(t, cli, "complete", shell, "--", ...words);
}

Deno.test("complete offers commands and options with their descriptions, without hidden commands", async (t) => {
  await using cli = await createFakeCli();
  await completes(t, cli, [
    ...[[""], ["st"], ["help", "val"], ["nonsense", ""], ["-"]],
    ...[["run", "--"], ["run", "daily", "--det"], ["run", "-d"], ["list", "--det"]],
    ["run", "--", "--det"],
  ]);
  await completes(t, cli, [["stat"]], { shell: "fish" });
});

Deno.test("complete offers each choice of an argument once", async (t) => {
  await using cli = await createFakeCli();
  await completes(t, cli, [["completions", ""], ["completions", "zsh", ""]]);
});

Deno.test("completions without a shell uses SHELL, or lists the possible commands", async () => {
  for (
    const [SHELL, isTerminal, code, printed] of [
      ["/usr/bin/fish", false, 0, /^# Completion of inkling for fish/],
      ["/bin/zsh", true, 0, /^To install it for zsh: inkling completions zsh/],
      [
        "/bin/csh",
        false,
        2,
        /^Error: Cannot find your shell: SHELL names \/bin\/csh, .*completions bash, /,
      ],
      ["", true, 2, /^Error: Cannot find your shell: SHELL is not set/],
    ] as const
  ) {
    await using cli = await createFakeCli({ isTerminal });
    cli.environment = { SHELL };
    assert.equal(await cli.run("completions"), code);
    assert.match(cli.stdout.text + cli.stderr.text, printed);
  }
});

Deno.test("complete offers the service's agents only for an agent's id", async (t) => {
  await using cli = await createFakeCli();
  cli.runtime.addAgent(fakeAgent("daily", { description: "Writes\tthe\nreport" }));
  cli.runtime.addAgent(fakeAgent("my agent"));
  await completes(t, cli, [
    ...[["run", ""], ["chat", ""], ["logs", ""], ["validate", ""], ["checkpoint", "--agent", ""]],
    ...[["-q", "run", "-v", "--message", "run", ""], ["--workspace", "notes", "run", ""]],
    ...[["-wnotes", "chat", ""], ["run", "--", ""], ["checkpoint", "--agent=d"]],
    ...[["chat", "daily", "d"], ["new", "d"], ["list", "d"], ["stop", "d"]],
    ["run", "--message", "d"],
  ]);
});

Deno.test("complete offers an agent with an id like an option only after `--`", async (t) => {
  await using cli = await createFakeCli();
  for (const id of ["-x", "-5", "daily"]) cli.runtime.addAgent(fakeAgent(id));
  await completes(t, cli, [
    ...[["run", ""], ["run", "--", ""], ["run", "--", "-"], ["checkpoint", "--agent", "-x"]],
  ]);
});

Deno.test("complete uses the file names of agents if no service answers", async (t) => {
  await using cli = await createFakeCli({ isRunning: false });
  cli.agentNames = ["daily", "weekly"];
  await completes(t, cli, [["run", ""]]);
  assert.equal(cli.localOpened, 0, "the application is not loaded for a press of a key");
  cli.transport = () => new Promise<never>(() => {});
  await completes(t, cli, [["run", "w"]]);
  cli.transport = () => Promise.resolve(new Response("nonsense"));
  await completes(t, cli, [["run", "w"]]);
});

Deno.test("complete offers waiting executions for respond, and all executions for logs -e", async (t) => {
  await using cli = await createFakeCli();
  cli.runtime.addAgent(fakeAgent("daily"));
  askPerson(cli, cli.runtime.addExecution({ agentId: "daily" }).id);
  // The id is composed (NFC), and the words on the line are decomposed (NFD).
  cli.runtime.addExecution({ agentId: "café".normalize("NFC") });
  await completes(t, cli, [
    ...[["respond", ""], ["logs", "-e", ""], ["logs", "nobody", "--execution", ""]],
    ...[["respond", "1", "--te"], ["logs", "café".normalize("NFD"), "-e", ""]],
  ]);
  // The command also reads waiting executions without a service.
  cli.isRunning = false;
  await completes(t, cli, [["respond", ""]]);
  assert.equal(cli.localOpened, 1);
});

Deno.test("complete lets the shell complete files and folders", async (t) => {
  await using cli = await createFakeCli({ isRunning: false });
  await completes(t, cli, [
    ...[["-w", ""], ["run", "--workspace", "~/no"], ["--workspace=no"], ["validate", "./dra"]],
    ...[["run", "translate", "no"], ["run", "translate", "a.md", "b", ""]],
    ...[["new", "x", "--watch", "in"], ["new", "x", "--cron", ""], ["--unknown=x"]],
  ]);
});

Deno.test("complete for bash handles words that bash splits, and keeps the user's quotes", async (t) => {
  await using cli = await createFakeCli();
  cli.runtime.addAgent(fakeAgent("my agent"));
  const lines = [
    ...[["run", "m"], ["run", "my\\ a"], ["run", '"my a'], ["run", "'my"], ["run", "x"], []],
    ...[["checkpoint", "--agent", "=", "m"], ["checkpoint", "--agent", "="]],
    ["--workspace", "=", "a", ":", "b", "run", "m"],
    ["new", "--base-url", "http", ":", "//x", "--mo"],
  ];
  await completes(t, cli, lines, { shell: "bash" });
});

Deno.test("complete prints nothing and never fails on errors", async (t) => {
  await using cli = await createFakeCli({ isRunning: false });
  cli.app = {
    ...cli.app,
    agentNames: () => Promise.reject(new Error("config.yaml is broken")),
  };
  await completes(t, cli, [["run", ""]]);
  await shows(t, cli, "-v", "complete", "zsh", "--", "run", "");
});
