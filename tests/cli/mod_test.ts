import assert from "node:assert/strict";
import { CommandFailure, EXIT, exitCodeOf, Interrupted, toExit } from "../../cli/exit.ts";
import { OutputClosed } from "../../cli/output/terminal.ts";
import { ApiError, ServiceUnreachable } from "../../server/client.ts";
import { createFakeCli } from "./fake_cli.ts";

Deno.test("runCli() without arguments shows the help", async () => {
  await using cli = await createFakeCli();
  assert.equal(await cli.run(), 0);
  const help = cli.stdout.text;
  cli.stdout.text = "";
  assert.equal(await cli.run("--help"), 0);
  assert.equal(cli.stdout.text, help);
  assert.equal(cli.stderr.text, "");
});

Deno.test("runCli() helps with a command by its name, too", async () => {
  await using cli = await createFakeCli();
  assert.equal(await cli.run("help", "run"), 0);
  assert.match(cli.stdout.text, /^Usage: inkling run /);
  assert.equal(cli.stderr.text, "");
});

Deno.test("runCli() tells the version", async () => {
  for (const option of ["--version", "-V"]) {
    await using cli = await createFakeCli();
    assert.equal(await cli.run(option), 0);
    assert.equal(cli.stdout.text, "1.2.3\n");
  }
});

Deno.test("runCli() answers a wrong command line on standard error, with a suggestion and exit code 2", async () => {
  const table: [string[], string][] = [
    [["lst"], "Unknown command 'lst'. Did you mean list?"],
    [["list", "--jsn"], "Unknown option '--jsn'. Did you mean --json?"],
    [["--quite", "list"], "Unknown option '--quite'. Did you mean --quiet?"],
    [["list", "extra"], "Too many arguments for 'list'. Expected 0 arguments but got 1: extra."],
    [["list", "-w"], "Option '-w, --workspace <dir>' argument missing"],
    [
      ["stop", "--timeout", "soon"],
      "Option '--timeout <seconds>' argument 'soon' is invalid. " +
      "It must be a number of seconds, 86400 at most.",
    ],
  ];
  for (const [argv, text] of table) {
    await using cli = await createFakeCli();
    assert.equal(await cli.run(...argv), 2, argv.join(" "));
    assert.equal(cli.stderr.text.split("\n")[0], `Error: ${text}`);
    assert.match(cli.stderr.text, /--help" shows how it is used\n$/);
    assert.equal(cli.stdout.text, "");
  }
});

Deno.test("runCli() with options but no command shows the help as an error", async () => {
  await using cli = await createFakeCli();
  assert.equal(await cli.run("-q"), 2);
  assert.match(cli.stderr.text, /^Usage: inkling /);
  assert.equal(cli.stdout.text, "");
});

Deno.test("runCli() takes global options before and behind the command; the nearer one counts", async () => {
  for (
    const argv of [["-w", "a", "status"], ["status", "-w", "a"], ["-w", "b", "status", "-w", "a"]]
  ) {
    await using cli = await createFakeCli({ isRunning: false });
    assert.equal(await cli.run(...argv), 0);
    assert.match(cli.stdout.text, /\/absolute\/a\n/);
  }
});

Deno.test("start serves in the foreground until the service ends", async () => {
  await using cli = await createFakeCli({ isRunning: false });
  cli.onServe = (options) => {
    options.onReady({
      pid: 77,
      workspace: "/ws",
      logFile: "/state/inkling.log",
      agents: 3,
      brokenFiles: 1,
      transports: ["unix:/state/service.sock"],
    });
    assert.equal(options.onLogLine, undefined);
    return Promise.resolve("idle");
  };
  assert.equal(await cli.run("start", "--keep-alive", "-w", "ws"), 0);
  assert.equal(cli.served[0]?.keepAlive, true);
  assert.equal(cli.served[0]?.workspace, "ws");
  assert.equal(
    cli.stdout.text,
    [
      "Inkling 1.2.3 is running (PID 77). Ctrl+C stops it",
      "  Workspace  /ws",
      "  Agents     3, and 1 broken file",
      "  Listening  unix:/state/service.sock",
      "  Log        /state/inkling.log",
      "Stopped: there was nothing to do. --keep-alive keeps the service running",
      "",
    ].join("\n"),
  );
});

Deno.test("start -q says nothing, start -v shows the service log on standard error", async () => {
  await using cli = await createFakeCli({ isRunning: false });
  cli.onServe = (options) => {
    options.onLogLine?.("INFO  Listening\u001b[2J");
    return Promise.resolve("signal");
  };
  assert.equal(await cli.run("start", "-q"), 0);
  assert.equal(cli.stdout.text + cli.stderr.text, "");
  assert.equal(await cli.run("start", "-v"), 0);
  assert.equal(cli.stderr.text, "INFO Listening\n");
});

Deno.test("start shows a refusal as a sentence, and its causes only with -v", async () => {
  await using cli = await createFakeCli({ isRunning: false });
  cli.onServe = () =>
    Promise.reject(new Error("Inkling is already running", { cause: new Error("locked") }));
  assert.equal(await cli.run("start"), 1);
  assert.equal(cli.stderr.text, "Error: Inkling is already running\n");
  cli.stderr.text = "";
  assert.equal(await cli.run("start", "-v"), 1);
  assert.match(cli.stderr.text, /^Error: Inkling is already running\n[^]*locked/);
});

Deno.test("toExit() gives every failure its code", () => {
  const table: [unknown, number, string | undefined][] = [
    [new OutputClosed("gone"), EXIT.unread, undefined],
    [new Interrupted(), EXIT.interrupted, undefined],
    [new CommandFailure(EXIT.usage, "Wrong"), EXIT.usage, "Wrong"],
    [new ServiceUnreachable("Nobody"), EXIT.unreachable, "Nobody"],
    [new ApiError(409, "Held"), EXIT.failed, "Held"],
    [new TypeError("x is undefined"), EXIT.failed, "Internal error: x is undefined"],
    [new Error("Refused"), EXIT.failed, "Refused"],
    ["odd", EXIT.failed, "odd"],
  ];
  for (const [error, code, text] of table) assert.deepEqual(toExit(error), { code, text });
});

Deno.test("exitCodeOf() tells success, waiting and failure apart", () => {
  assert.equal(exitCodeOf("success"), 0);
  assert.equal(exitCodeOf("waiting"), 4);
  for (const status of ["error", "aborted", "timeout", "orphaned", "running"] as const) {
    assert.equal(exitCodeOf(status), 1);
  }
});
