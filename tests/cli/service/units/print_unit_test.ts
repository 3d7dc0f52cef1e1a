// Tests that systemd and launchd read the output of `inkling start --print-unit` correctly, including unusual paths.
import assert from "node:assert/strict";
import { join } from "node:path";
import fc from "fast-check";
import { toLaunchdPlist } from "../../../../cli/service/units/launchd_plist.ts";
import { toSystemdUnit } from "../../../../cli/service/units/systemd_unit.ts";
import type { Unit } from "../../../../cli/service/units/unit.ts";
import { createTempDir } from "../../../support/temp_dir.ts";
import { createFakeCli, type FakeCli } from "../../fake_cli.ts";
import { picturesOf } from "../../picture.ts";
import { readPlist } from "./plist_reader.ts";
import { readUnit } from "./unit_reader.ts";

const shows = picturesOf(import.meta.url);

/** Runs the command and returns the printed unit. */
async function print(cli: FakeCli, ...args: string[]): Promise<string> {
  assert.equal(await cli.run("start", ...args), 0, cli.stderr.text);
  return cli.stdout.text;
}

const ODD = `/home/my user/100%h $HOME/"q"\\n'x'/<&>--/ünï`;

const unit = (text: string): Unit => ({
  printCommand: `inkling start --print-unit --workspace ${text}`,
  command: [`${text}/deno`, "start", text, "--workspace", text],
  environment: { PATH: text, INKLING_STATE_DIR: text },
  environmentFile: `${text}/service.env`,
  serviceKeyFile: `${text}/.env`,
  logFile: `${text}/inkling.log`,
  keysFile: `${text}/.env`,
});

Deno.test("start --print-unit prints a unit with --keep-alive and a stop timeout", async (t) => {
  await using cli = await createFakeCli();
  const listener = ["--port", "8420", "--host", "::1"];
  await shows(t, cli, "start", "--print-unit=systemd", ...listener, "-w", "my notes");
  await shows(t, cli, "start", "--print-unit=launchd", "-w", "notes");
  // The environment contains variables, and the program has the flags of a scoped service.
  cli.environment = { ...cli.environment, MALLOC_ARENA_MAX: "16" };
  cli.isConfined = true;
  const command = ["/usr/bin/deno", "run", "--allow-read=/home/me/my notes", "/opt/main.ts"];
  cli.permissions = { flags: [], remarks: [], command };
  await shows(t, cli, "start", "--print-unit=systemd");
  assert.deepEqual([cli.served, cli.spawned], [[], []], "nothing is started");
});

Deno.test("start --print-unit contains no key of the environment, and rejects --api-key", async () => {
  await using cli = await createFakeCli();
  const key = "sesame-0123456789";
  cli.environment = {
    ...{ HOME: "/home/me", PATH: "/bin", INKLING_API_KEY: key, OPENAI_API_KEY: key },
    INKLING_STATE_DIR: "/var/state",
  };
  for (const kind of ["systemd", "launchd"]) {
    cli.stdout.text = "";
    const text = await print(cli, `--print-unit=${kind}`, "--port", "8420");
    assert.ok(!text.includes(key) && !text.includes("OPENAI"));
    assert.ok(text.includes("/var/state") && text.includes("service.env"));
    assert.ok(text.includes("/home/me/inkling/agents/_config/.env"), "where keys belong");
  }
  assert.equal(await cli.run("start", "--print-unit", "--api-key", key), 2);
  assert.equal(await cli.run("start", "--print-unit", "-d"), 2);
  assert.equal(await cli.run("start", "--print-unit=upstart"), 2);
});

Deno.test("start --print-unit rejects paths with control characters, and warns about npx's cache", async () => {
  await using cli = await createFakeCli();
  cli.report = { ...cli.report, configFile: "/home/a\nb/config.yaml" };
  assert.equal(await cli.run("start", "--print-unit=systemd"), 1);
  assert.match(cli.stderr.text, /contains a control character/);
  await using npx = await createFakeCli();
  const directory = "/home/me/.npm/_npx/1234/node_modules/inkling";
  npx.distribution = { kind: "npm", packageName: "inkling", directory };
  await print(npx, "--print-unit=systemd");
  assert.match(
    npx.stderr.text.replaceAll(/\s+/g, " "),
    /npx's cache, .* Install the package with "npm install --global"/,
  );
});

Deno.test("toSystemdUnit() and toLaunchdPlist() preserve every text", () => {
  const texts = fc.oneof(
    fc.constant(ODD),
    fc.constant("\u2028"),
    fc.string({ unit: "grapheme", minLength: 1 }).filter((one) => !/\p{Cc}/u.test(one)),
    fc.array(fc.constantFrom("%", "$", "${X}", '"', "'", "\\", ";", " ", "#", "-", "<", "&", "@")),
  ).map((text) => `/${[text].flat().join("")}x`);
  fc.assert(fc.property(texts, (text) => {
    const wanted = unit(text);
    const read = readUnit(toSystemdUnit(wanted));
    const words = read.words("Service", "ExecStart");
    const shell = ["/bin/sh", "-c", 'exec "$0" "$@"'];
    assert.deepEqual(words[0] === "/bin/sh" ? words : [...shell, ...words], [
      ...shell,
      ...wanted.command,
    ]);
    assert.doesNotMatch(words[0] ?? "", /["'\\]/, "systemd takes no such program");
    assert.deepEqual(read.words("Service", "Environment"), [
      `PATH=${text}`,
      `INKLING_STATE_DIR=${text}`,
    ]);
    assert.equal(read.path("Service", "EnvironmentFile"), `-${text}/service.env`);
    const plist = readPlist(toLaunchdPlist(wanted));
    assert.deepEqual((plist["ProgramArguments"] as string[]).slice(3), [
      `${text}/service.env`,
      ...wanted.command,
    ]);
    assert.deepEqual(plist["EnvironmentVariables"], wanted.environment);
    assert.equal(plist["StandardErrorPath"], `${text}/inkling.log`);
  }));
});

Deno.test("the shell in the property list reads the key's file and preserves all arguments", async () => {
  await using folder = await createTempDir();
  const place = join(folder.path, `odd "$HOME" 'x' %h`);
  await Deno.mkdir(place);
  await Deno.writeTextFile(join(place, "service.env"), "INKLING_API_KEY='a key'\n");
  const script = 'printf "%s|" "$INKLING_API_KEY" "$@"';
  const wanted: Unit = {
    ...unit(place),
    command: ["/bin/sh", "-c", script, "x", "$HOME", "a b", "`c`"],
  };
  const [shell = "", ...args] = readPlist(toLaunchdPlist(wanted))["ProgramArguments"] as string[];
  const run = async () => {
    const env = { PATH: "/bin:/usr/bin" };
    const { stdout } = await new Deno.Command(shell, { args, env, clearEnv: true }).output();
    return new TextDecoder().decode(stdout);
  };
  assert.equal(await run(), "a key|$HOME|a b|`c`|");
  await Deno.remove(join(place, "service.env"));
  assert.equal(await run(), "|$HOME|a b|`c`|", "the file may be missing");
});

const hasSystemd = await new Deno.Command("systemd-analyze", { args: ["--version"] }).output()
  .then(({ success }) => success, () => false);

for (const owner of [undefined, "root"]) {
  Deno.test({
    name: `systemd accepts the unit of ${
      owner === undefined ? "a user" : "the machine"
    }, also with unusual paths`,
    ignore: !hasSystemd,
    async fn() {
      await using folder = await createTempDir();
      const place = join(folder.path, `my user 100%h $x "q"`);
      await Deno.mkdir(place);
      const program = join(place, "deno");
      await Deno.writeTextFile(program, "#!/bin/sh\n", { mode: 0o755 });
      const file = join(folder.path, "inkling.service");
      const command = [program, "start", place, "a;b", ";", "${X}", "%i"];
      const wanted = { ...unit(place), command, ...(owner !== undefined && { owner }) };
      await Deno.writeTextFile(file, toSystemdUnit(wanted));
      const scope = owner === undefined ? "--user" : "--system";
      const { success, stderr } = await new Deno.Command("systemd-analyze", {
        args: ["verify", scope, "--man=no", file],
        env: { XDG_RUNTIME_DIR: folder.path, HOME: folder.path },
      }).output();
      const said = new TextDecoder().decode(stderr);
      assert.ok(success, said);
      assert.doesNotMatch(said, /inkling\.service/, said);
    },
  });
}
