import assert from "node:assert/strict";
import { until } from "../../support/until.ts";
import { createFakeCli, type FakeCli } from "../fake_cli.ts";

/** Presses Ctrl+C as soon as the command says that it works, and returns its exit code. */
async function untilInterrupted(cli: FakeCli, running: Promise<number>): Promise<number> {
  await until(() => cli.stderr.text.includes("Ctrl+C"), "it says how it ends");
  assert.ok(!cli.proxied.includes("closed"), "it lives as long as the command");
  assert.ok(cli.interrupt());
  return await running;
}

Deno.test("ui opens a file in a browser, never the address with its token, prints that alone, and ends with its proxy at Ctrl+C", async () => {
  await using cli = await createFakeCli();
  assert.equal(await untilInterrupted(cli, cli.run("ui")), 130);
  assert.deepEqual(cli.opened, ["file:///state/ui.html"]);
  assert.equal(cli.stdout.text, "http://127.0.0.1:4711/open?token=once\n");
  assert.match(
    cli.stderr.text,
    /^The address works once\. If the browser shows nothing, open it yourself\. Ctrl\+C ends/,
  );
  assert.deepEqual(cli.proxied, [`${cli.stateDir}/service.sock/ui`, "closed"]);
});

Deno.test("ui --no-open only prints the address", async () => {
  await using cli = await createFakeCli();
  assert.equal(await untilInterrupted(cli, cli.run("ui", "--no-open")), 130);
  assert.deepEqual(cli.opened, []);
  assert.equal(cli.stdout.text, "http://127.0.0.1:4711/open?token=once\n");
});

Deno.test("ui says when no browser can be opened, and goes on", async () => {
  await using cli = await createFakeCli();
  cli.hasBrowser = false;
  assert.equal(await untilInterrupted(cli, cli.run("ui")), 130);
  assert.match(cli.stderr.text, /^No browser could be opened: open the address yourself\n/);
});

Deno.test("ui starts the service where none runs", async () => {
  await using cli = await createFakeCli({ isRunning: false });
  assert.equal(await untilInterrupted(cli, cli.run("ui")), 130);
  assert.equal(cli.spawned.length, 1);
  assert.match(cli.stderr.text, /^Starting the service\n/);
});

Deno.test("ui fails with 3 when the service cannot be started, and opens nothing", async () => {
  await using cli = await createFakeCli({ isRunning: false });
  cli.onSpawn = () => ({ pid: 4711, ended: { code: 1 } });
  await Deno.writeTextFile(`${cli.stateDir}/inkling.log`, "");
  assert.equal(await cli.drive(cli.run("ui")), 3);
  assert.deepEqual(cli.opened, []);
  assert.deepEqual(cli.proxied, []);
});
