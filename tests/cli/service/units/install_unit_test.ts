// `inkling service` with stand-ins for systemd and launchd.
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { installUnit, uninstallUnit } from "../../../../cli/service/units/install_unit.ts";
import { UNIT_MARKER } from "../../../../cli/service/units/unit.ts";
import { openUnitManager } from "../../../../cli/service/units/unit_manager.ts";
import {
  createStandInManagers,
  type StandInManagers,
} from "../../../support/machine/stand_in_managers.ts";
import { createTempDir } from "../../../support/temp_dir.ts";
import { createFakeCli, type FakeCli } from "../../fake_cli.ts";
import { assertPicture } from "../../picture.ts";
import { readPlist } from "./plist_reader.ts";
import { readUnit } from "./unit_reader.ts";

const KEY = "sesame-0123456789";

interface UnitWorld extends AsyncDisposable {
  cli: FakeCli;
  managers: StandInManagers;
  home: string;
  unit: string;
}

/** Creates a home with stand-ins for the service managers. The fake service runs while its unit is active. */
async function createUnitWorld(): Promise<UnitWorld> {
  await using opened = new AsyncDisposableStack();
  const home = opened.use(await createTempDir()).path;
  const cli = opened.use(await createFakeCli({ isRunning: false }));
  const managers = createStandInManagers(home);
  cli.environment = { HOME: home, USER: "me", PATH: `${managers.bin}:/usr/bin:/bin` };
  cli.runtime.testedChannels = [{ name: "phone", test: "accepted" }];
  Object.defineProperty(cli, "isRunning", { get: () => managers.isActive() });
  const kept = opened.move();
  return {
    ...{ cli, managers, home },
    unit: join(home, ".config/systemd/user/inkling.service"),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

Deno.test("service install writes and enables the unit, and prints the missing conditions", async (t) => {
  await using world = await createUnitWorld();
  const { cli, managers, unit } = world;
  cli.service = { port: 8420, key: KEY, keySource: join(world.home, "env") };
  await Deno.writeTextFile(join(world.home, "env"), `INKLING_API_KEY=${KEY}\n`, { mode: 0o644 });
  assert.equal(await cli.run("service", "install"), 0, cli.stderr.text);
  const text = await Deno.readTextFile(unit);
  assert.deepEqual(readUnit(text).words("Service", "ExecStart"), [
    "/usr/bin/inkling",
    "start",
    "--keep-alive",
  ]);
  assert.ok(text.includes(UNIT_MARKER) && !text.includes(KEY));
  assert.equal((await Deno.stat(join(world.home, "env"))).mode! & 0o777, 0o600);
  assert.deepEqual(managers.calls(), [
    "systemctl --user show-environment",
    "systemctl --user daemon-reload",
    "systemctl --user enable inkling.service",
    "systemctl --user restart inkling.service",
    "loginctl enable-linger me --no-ask-password",
  ]);
  await t.step("and the printed unit is the same", async () => {
    cli.stdout.text = "";
    assert.equal(await cli.run("start", "--print-unit=systemd"), 0);
    assert.equal(cli.stdout.text, text);
  });
  const shows = async (...args: string[]) => {
    cli.stdout.text = "";
    assert.equal(await cli.run("service", "status", ...args), 0);
    await assertPicture(t, cli.stdout.text.replaceAll(world.home, "~"), import.meta.url);
  };
  await shows();
  Object.assign(cli.lifecycle, { manager: "systemd" });
  await shows("--json");
  cli.unit = { file: unit, isEnabled: true, isLingering: true };
  await shows();
  managers.calls();
  cli.stdout.text = "";
  assert.equal(await cli.run("service", "uninstall"), 0, cli.stderr.text);
  assert.deepEqual(managers.calls().slice(1), [
    "systemctl --user disable --now inkling.service",
    "systemctl --user daemon-reload",
  ]);
  assert.throws(() => Deno.lstatSync(unit), Deno.errors.NotFound);
  assert.match(cli.stdout.text, /inkling\.service removed, and the service stopped\n$/);
  assert.equal(await cli.run("service", "uninstall"), 0);
  assert.match(cli.stderr.text, /There is no unit .*inkling\.service\n$/);
});

Deno.test("service install replaces an older unit, and neither replaces nor removes a foreign file", async () => {
  await using world = await createUnitWorld();
  const { cli, unit } = world;
  await Deno.mkdir(dirname(unit), { recursive: true });
  await Deno.writeTextFile(unit, "[Service]\nExecStart=/bin/true\n");
  for (const action of ["install", "uninstall"]) {
    cli.stderr.text = "";
    assert.equal(await cli.run("service", action), 1);
    assert.match(cli.stderr.text, /Inkling did not write .*inkling\.service, so it stays/);
  }
  assert.equal(await Deno.readTextFile(unit), "[Service]\nExecStart=/bin/true\n");
  assert.ok(!world.managers.calls().some((call) => /enable|restart|disable/.test(call)));
  await Deno.writeTextFile(unit, `# ${UNIT_MARKER}\n[Service]\nExecStart=/old/inkling\n`);
  assert.equal(await cli.run("service", "install"), 0, cli.stderr.text);
  assert.match(cli.stdout.text, /inkling\.service updated\n/);
  assert.match(await Deno.readTextFile(unit), /ExecStart="\/usr\/bin\/inkling"/);
});

Deno.test("service install without a key, a setup or a service manager writes nothing", async () => {
  await using world = await createUnitWorld();
  const { cli, managers, unit } = world;
  const refuses = async (code: number, message: RegExp) => {
    cli.stderr.text = "";
    assert.equal(await cli.run("service", "install"), code);
    assert.match(cli.stderr.text.replaceAll(/\s+/g, " "), message);
    assert.throws(() => Deno.lstatSync(unit), Deno.errors.NotFound);
  };
  cli.service = { port: 8420 };
  await refuses(2, /requires a key, and INKLING_API_KEY is not set\. Add the line .*\/\.env/);
  cli.service = { port: 8420, key: KEY };
  await refuses(2, /INKLING_API_KEY is only in your shell's environment/);
  cli.service = {};
  cli.isSetUp = false;
  await refuses(1, /Inkling is not set up for this user/);
  cli.isSetUp = true;
  managers.set("silent");
  await refuses(1, /systemd does not answer \(Failed to connect to bus.*\)\. In a container/);
  cli.environment = { HOME: world.home, PATH: "/nowhere" };
  await refuses(1, /systemd does not answer \(systemctl is not installed\)/);
  assert.equal(await cli.run("service", "status"), 0, "the status needs no manager");
  assert.match(cli.stdout.text, /not installed\nUnattended: not ready: no unit starts/);
});

Deno.test("service install reports a unit that does not start, and a refused lingering", async () => {
  await using world = await createUnitWorld();
  const { cli, managers } = world;
  managers.set("no-linger");
  assert.equal(await cli.run("service", "install"), 0);
  assert.match(cli.stderr.text, /ends when you log out.*sudo loginctl enable-linger me/);
  assert.match(cli.stdout.text, /the service ends when you log out/);
  assert.equal(await cli.run("service", "uninstall"), 0);
  managers.set("failing");
  cli.stderr.text = "";
  assert.equal(await cli.run("service", "install"), 1);
  assert.match(
    cli.stderr.text,
    /"systemctl --user restart inkling\.service" failed: Job for inkling\.service failed/,
  );
});

Deno.test("service install stops a service that was started by hand", async () => {
  await using world = await createUnitWorld();
  const { cli, managers } = world;
  const process = cli.addProcess(["request"]);
  Object.defineProperty(cli, "isRunning", { get: () => process.isAlive || managers.isActive() });
  assert.equal(await cli.drive(cli.run("service", "install")), 0, cli.stderr.text);
  assert.match(cli.stderr.text, /Stopping the running service, so that the unit can start it/);
  assert.equal(process.isAlive, false);
});

Deno.test("a unit of the machine runs as the owner of the workspace", async () => {
  await using world = await createUnitWorld();
  const { cli, managers, home } = world;
  cli.report = { ...cli.report, workspace: home };
  const file = join(managers.bin, "system/inkling.service");
  const manager = { ...openUnitManager(cli.app, { kind: "systemd", scope: "system" }), file };
  await installUnit(cli.context, manager);
  const read = readUnit(await Deno.readTextFile(file));
  const whoami = await new Deno.Command("id", { args: ["-un"] }).output();
  assert.deepEqual(read.values("Service", "User"), [
    new TextDecoder().decode(whoami.stdout).trim(),
  ]);
  assert.deepEqual(read.values("Install", "WantedBy"), ["multi-user.target"]);
  assert.deepEqual(managers.calls(), [
    "systemctl daemon-reload",
    "systemctl enable inkling.service",
    "systemctl restart inkling.service",
  ]);
  assert.equal(await uninstallUnit(manager), true);
});

Deno.test("installUnit() with launchd retries until the former unit has ended", async () => {
  await using world = await createUnitWorld();
  const { cli, managers, home } = world;
  managers.set("busy");
  const manager = openUnitManager(cli.app, { kind: "launchd", scope: "user" });
  assert.equal(await manager.findProblem(), undefined);
  await cli.drive(installUnit(cli.context, manager));
  const file = join(home, "Library/LaunchAgents/inkling.plist");
  assert.equal(manager.file, file);
  assert.deepEqual(readPlist(await Deno.readTextFile(file))["Label"], "inkling");
  const domain = `gui/${Deno.uid()}`;
  assert.deepEqual(managers.calls(), [
    `launchctl print ${domain}`,
    `launchctl bootout ${domain}/inkling`,
    `launchctl enable ${domain}/inkling`,
    ...Array(3).fill(`launchctl bootstrap ${domain} ${file}`),
  ]);
  assert.deepEqual(await manager.describe(), { active: "loaded", enabled: "enabled" });
  assert.equal(await uninstallUnit(manager), true);
  assert.equal(managers.isActive(), false);
  assert.throws(() => Deno.lstatSync(file), Deno.errors.NotFound);
  managers.set("silent");
  assert.match(await manager.findProblem() ?? "", /launchd does not answer \(Could not find/);
});
