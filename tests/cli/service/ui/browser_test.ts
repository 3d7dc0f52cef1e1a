// Tests of opening an address with each system's command.
import assert from "node:assert/strict";
import { join } from "node:path";
import { browserCommand, openBrowser } from "../../../../cli/service/browser.ts";
import { TestClock } from "../../../support/test_clock.ts";
import { until } from "../../../support/until.ts";

const ADDRESS = "http://127.0.0.1:1/open?token=a&b";

Deno.test("browserCommand() passes the address to the system's opener as one word", () => {
  const environment = {};
  assert.deepEqual(browserCommand(ADDRESS, { os: "darwin", environment }), ["open", ADDRESS]);
  const windows = browserCommand(ADDRESS, { os: "windows", environment });
  assert.deepEqual(windows, ["rundll32", "url.dll,FileProtocolHandler", ADDRESS]);
  const screens = [{ DISPLAY: ":0" }, { WAYLAND_DISPLAY: "wayland-0" }];
  for (const environment of screens) {
    const command = browserCommand(ADDRESS, { os: "linux", environment });
    assert.deepEqual(command, ["xdg-open", ADDRESS]);
  }
});

Deno.test("browserCommand() returns no command without a screen", () => {
  for (const environment of [{}, { DISPLAY: "" }]) {
    assert.equal(browserCommand(ADDRESS, { os: "linux", environment }), undefined);
  }
});

/**
 * Creates a folder with an executable xdg-open. `OUT` in its script is replaced by the path of the file `out` in the
 * folder.
 */
async function createOpener(script: string): Promise<{ directory: string } & AsyncDisposable> {
  const directory = await Deno.makeTempDir({ prefix: "inkling-browser-" });
  const path = join(directory, "xdg-open");
  const text = `#!/bin/sh\n${script.replaceAll("OUT", `${directory}/out`)}\n`;
  await Deno.writeTextFile(path, text);
  await Deno.chmod(path, 0o755);
  return { directory, [Symbol.asyncDispose]: () => Deno.remove(directory, { recursive: true }) };
}

function open(directory: string, clock = new TestClock()): Promise<boolean> {
  const environment = { DISPLAY: ":0", PATH: `${directory}:/bin:/usr/bin` };
  return openBrowser(ADDRESS, { os: "linux", environment, clock });
}

Deno.test("openBrowser() returns true only if the opener succeeded", async () => {
  await using good = await createOpener('printf "%s\\n" "$@" > OUT');
  assert.equal(await open(good.directory), true);
  assert.equal(await Deno.readTextFile(join(good.directory, "out")), `${ADDRESS}\n`);
  await using bad = await createOpener("exit 3");
  assert.equal(await open(bad.directory), false);
});

Deno.test("openBrowser() returns false without an executable opener", async () => {
  await using opener = await createOpener("exit 0");
  await Deno.chmod(join(opener.directory, "xdg-open"), 0o644);
  const environment = { DISPLAY: ":0", PATH: opener.directory };
  const options = { os: "linux", environment, clock: new TestClock() } as const;
  assert.equal(await openBrowser(ADDRESS, options), false);
  await Deno.remove(join(opener.directory, "xdg-open"));
  assert.equal(await openBrowser(ADDRESS, options), false);
});

Deno.test("openBrowser() does not wait for a browser that stays in the foreground", async () => {
  await using opener = await createOpener("echo $$ > OUT; exec sleep 600");
  const clock = new TestClock();
  const opened = open(opener.directory, clock);
  await until(() => clock.awaits(3_000), "it waits for the opener");
  const readPid = () => Deno.readTextFile(join(opener.directory, "out")).catch(() => "");
  await until(async () => (await readPid()) !== "", "the browser is there");
  await clock.advance(3_000);
  assert.equal(await opened, true);
  const pid = Number(await readPid());
  Deno.kill(pid, "SIGKILL");
  await until(() => isGone(pid), "the browser is gone");
});

/** Returns true if no process has the PID, not even a zombie. */
function isGone(pid: number): boolean {
  try {
    Deno.kill(pid, "SIGCONT");
    return false;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return true;
    throw error;
  }
}
