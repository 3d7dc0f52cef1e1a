import assert from "node:assert/strict";
import { CommandFailure, EXIT, Interrupted, toExit } from "../../cli/context/exit.ts";
import { OutputClosed } from "../../cli/output/terminal.ts";
import { ApiError, ServiceUnreachable } from "../../api/client/client.ts";
import { createFakeCli } from "./fake_cli.ts";
import { picturesOf } from "./picture.ts";

const shows = picturesOf(import.meta.url);

Deno.test("start serves in the foreground until the service ends", async () => {
  await using cli = await createFakeCli({ isRunning: false });
  cli.onServe = ({ onLogLine }) => {
    assert.equal(onLogLine, undefined);
    return Promise.resolve("idle");
  };
  assert.equal(await cli.run("start", "--keep-alive", "-w", "ws"), 0);
  assert.equal(cli.served[0]?.keepAlive, true);
  assert.equal(cli.served[0]?.workspace, "ws");
  assert.match(
    cli.stdout.text,
    /^Stopped because it was idle\. --keep-alive keeps the service/,
  );
});

Deno.test("start -q prints nothing, start -v prints the service's log on standard error", async (t) => {
  await using cli = await createFakeCli({ isRunning: false });
  cli.onServe = (options) => {
    options.onLogLine?.("INFO  Listening\u001b[2J");
    return Promise.resolve("signal");
  };
  await shows(t, cli, "start", "-q");
  await shows(t, cli, "start", "-v");
});

Deno.test("start prints an error as a sentence, and its causes only with -v", async () => {
  await using cli = await createFakeCli({ isRunning: false });
  cli.onServe = () =>
    Promise.reject(new Error("Inkling is already running", { cause: new Error("locked") }));
  assert.equal(await cli.run("start"), 1);
  assert.equal(cli.stderr.text, "Error: Inkling is already running\n");
  cli.stderr.text = "";
  assert.equal(await cli.run("start", "-v"), 1);
  assert.match(cli.stderr.text, /^Error: Inkling is already running\n[^]*locked/);
});

Deno.test("toExit() returns the exit code of every error", () => {
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
