import assert from "node:assert/strict";
import { HOUR_MS } from "../../../../base/time_units.ts";
import {
  ALONE_MS,
  announcePage,
  findBackgroundPage,
  SERVES_PAGE,
} from "../../../../cli/service/background_page.ts";
import { until } from "../../../support/until.ts";
import { createFakeCli, type FakeCli } from "../../fake_cli.ts";
import { picturesOf } from "../../picture.ts";

const shows = picturesOf(import.meta.url);

/** Presses Ctrl+C once the command is ready, and returns its exit code. */
async function untilInterrupted(cli: FakeCli, running: Promise<number>): Promise<number> {
  await until(() => cli.stderr.text.includes("Ctrl+C"), "it says how it ends");
  assert.ok(!cli.proxied.includes("closed"), "it lives as long as the command");
  assert.ok(cli.interrupt());
  return await running;
}

Deno.test("ui opens a file in the browser, so that no argument contains the token", async () => {
  await using cli = await createFakeCli();
  assert.equal(await untilInterrupted(cli, cli.run("ui")), 130);
  assert.deepEqual(cli.opened, ["file:///state/ui.html"]);
  assert.equal(cli.stdout.text, "http://127.0.0.1:4711/open?token=once\n");
  assert.match(
    cli.stderr.text,
    /^The address works once\. If no page appears, open the address yourself\. Ctrl\+C stops/,
  );
  assert.deepEqual(cli.proxied, [`${cli.stateDir}/service.sock/ui`, "closed"]);
});

Deno.test("ui --no-open prints the address, and a note if the usual port is in use", async () => {
  await using cli = await createFakeCli();
  cli.page = { port: 4712, takenPort: 4711 };
  assert.equal(await untilInterrupted(cli, cli.run("ui", "--no-open")), 130);
  assert.deepEqual(cli.opened, []);
  assert.equal(cli.stdout.text, "http://127.0.0.1:4712/open?token=once\n");
  assert.match(cli.stderr.text, /^Port 4711 is in use, so the page is on port 4712\n/);
});

Deno.test("ui exits with 3 if the service cannot start, and opens nothing", async () => {
  await using cli = await createFakeCli({ isRunning: false });
  cli.onSpawn = () => ({ pid: 4711, ended: { code: 1 } });
  await Deno.writeTextFile(`${cli.stateDir}/inkling.log`, "");
  assert.equal(await cli.drive(cli.run("ui")), 3);
  assert.deepEqual(cli.opened, []);
  assert.deepEqual(cli.proxied, []);
});

/** Makes every process that a command starts serve the page at once. */
function serveInBackground(cli: FakeCli): { end(): Promise<void> } {
  const places = cli.app.places();
  let announced: Promise<AsyncDisposable | undefined> | undefined;
  const end = async () => await (await announced)?.[Symbol.asyncDispose]();
  cli.onSpawn = () => {
    announced = places.then((places) => announcePage(places, { pid: 4712, port: 4713 }));
    return { pid: 4712, ended: undefined };
  };
  const { signal } = cli.app.processes;
  cli.app.processes.signal = async (pid, name) => {
    await signal(pid, name);
    if (pid === 4712) await end();
  };
  return { end };
}

Deno.test("ui --background starts a process that serves the page, and returns", async () => {
  await using cli = await createFakeCli();
  const page = serveInBackground(cli);
  assert.equal(await cli.drive(cli.run("ui", "--background", "--workspace", "w")), 0);
  const [command] = cli.spawned;
  assert.deepEqual(command?.slice(1), [
    ...["ui", "--background", "--quiet"],
    ...["--workspace", "/absolute/w"],
  ]);
  assert.equal(cli.spawnedWith[0]?.[SERVES_PAGE], "1");
  assert.deepEqual(cli.proxied, []);
  assert.equal(cli.stdout.text, "http://127.0.0.1:4713/open?token=once\n");
  assert.match(cli.stderr.text, /in the background \(PID 4712\): "inkling ui --stop" stops it/);
  // `ui` with and without --background creates another link to the running page.
  for (const argv of [["ui"], ["ui", "--background", "--no-open"]]) {
    assert.equal(await cli.drive(cli.run(...argv)), 0);
  }
  assert.equal(cli.spawned.length, 1);
  assert.deepEqual(cli.opened, ["file:///state/ui.html", "file:///state/ui.html"]);
  await page.end();
});

Deno.test("ui --stop stops the background page, and reports that there is none", async (t) => {
  await using cli = await createFakeCli();
  serveInBackground(cli);
  await cli.drive(cli.run("ui", "--background"));
  await shows(t, cli, "ui", "--stop");
  await shows(t, cli, "ui", "--stop");
  await shows(t, cli, "ui", "--stop", "--background");
});

Deno.test("ui --stop does not signal a process that has the PID of a killed page", async () => {
  await using cli = await createFakeCli();
  cli.addProcess([], { pid: 4712 });
  await Deno.writeTextFile(`${cli.stateDir}/ui.json`, '{"pid":4712,"port":4713}');
  assert.equal(await cli.drive(cli.run("ui", "--stop")), 0);
  assert.deepEqual(cli.processes.get(4712)?.signals, []);
});

Deno.test("ui --background reports why the page could not start", async (t) => {
  await using cli = await createFakeCli();
  cli.onSpawn = (logFile) => {
    Deno.writeTextFileSync(logFile, "Error: something is wrong\n");
    return { pid: 4712, ended: { code: 1 } };
  };
  await shows(t, cli, "ui", "--background");
});

Deno.test("the background page survives a restart of the service", async () => {
  await using cli = await createFakeCli();
  cli.environment = { ...cli.environment, [SERVES_PAGE]: "1" };
  const running = cli.run("ui", "--background", "--quiet");
  let code: number | undefined;
  running.then((ended) => code = ended);
  await until(() => cli.proxied.length === 1, "it serves");
  const places = await cli.app.places();
  await until(async () => await findBackgroundPage(places) !== undefined, "it says so");
  await cli.clock.advance(HOUR_MS);
  cli.isRunning = false;
  await cli.clock.advance(ALONE_MS - 60_000);
  cli.isRunning = true;
  await cli.clock.advance(60_000);
  cli.isRunning = false;
  await cli.clock.advance(ALONE_MS - 60_000);
  assert.equal(code, undefined);
  await cli.clock.advance(120_000);
  assert.equal(await running, 0);
  assert.deepEqual(cli.proxied.slice(1), ["closed"]);
  assert.equal(await findBackgroundPage(places), undefined);
  assert.deepEqual(cli.spawned, [], "it starts nothing");
});
