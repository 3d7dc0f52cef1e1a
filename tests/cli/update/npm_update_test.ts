// update of the npm package: a stand-in for npm on the PATH keeps the packages as shell scripts.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { CliApp } from "../../../cli/app.ts";
import { runCli } from "../../../cli/mod.ts";
import type { Distribution } from "../../../cli/update/distribution.ts";
import { SystemClock } from "../../../base/clock.ts";
import { createFakeCli, type FakeCli } from "../fake_cli.ts";
import { standIn } from "./release_server.ts";

/** What npm does here: `view` and `root -g` print files, `install -g` writes a program of that version. */
const FAKE_NPM = `#!/bin/sh
echo "$*" >> "$HOME/calls"
case "$1" in
  view) cat "$HOME/newest" ;;
  root) echo "$HOME/lib/node_modules" ;;
  install) [ -e "$HOME/refuses" ] && { cat "$HOME/refuses" >&2; exit 243; }
    printf '#!/bin/sh\\necho %s\\n' "\${3##*@}" > "$HOME/program" ;;
esac
`;

class NpmWorld implements AsyncDisposable {
  readonly cli: FakeCli;
  readonly home: string;
  readonly directory: string;

  private constructor(cli: FakeCli, home: string) {
    this.cli = cli;
    this.home = home;
    this.directory = join(home, "lib", "node_modules", "@who", "inkling");
  }

  static async open(newest: string): Promise<NpmWorld> {
    const home = await Deno.realPath(await Deno.makeTempDir({ prefix: "inkling-npm-" }));
    const world = new NpmWorld(await createFakeCli({ isRunning: false }), home);
    await Deno.mkdir(world.directory, { recursive: true });
    await Deno.mkdir(join(home, "bin"));
    await Deno.writeTextFile(join(home, "bin", "npm"), FAKE_NPM);
    await Deno.chmod(join(home, "bin", "npm"), 0o755);
    await Deno.writeTextFile(join(home, "newest"), `${newest}\n`);
    await Deno.writeTextFile(join(home, "program"), standIn("1.2.3"));
    return world;
  }

  distribution(directory: string): Distribution & { kind: "npm" } {
    return { kind: "npm", packageName: "@who/inkling", directory, isPublished: true };
  }

  run(args: readonly string[], changes: Partial<CliApp> = {}): Promise<number> {
    return runCli(args, {
      ...this.cli.app,
      clock: new SystemClock(),
      environment: { HOME: this.home, PATH: `${this.home}/bin:${Deno.env.get("PATH")}` },
      distribution: this.distribution(this.directory),
      selfCommand: ["sh", join(this.home, "program")],
      ...changes,
    });
  }

  async calls(): Promise<string[]> {
    return (await Deno.readTextFile(join(this.home, "calls"))).trim().split("\n");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cli[Symbol.asyncDispose]();
    await Deno.remove(this.home, { recursive: true });
  }
}

Deno.test("update has npm install the newest version, and sees that it starts", async () => {
  await using world = await NpmWorld.open("1.3.0");
  assert.equal(await world.run(["update"]), 0);
  assert.deepEqual(await world.calls(), [
    "view @who/inkling version",
    "root -g",
    "install -g @who/inkling@1.3.0",
  ]);
  assert.equal(world.cli.stdout.text, "Inkling 1.3.0 is installed (it was 1.2.3)\n");
});

Deno.test("update asks npm for nothing while its registry has no Inkling under that name, and says what to do", async () => {
  await using world = await NpmWorld.open("1.3.0");
  const distribution = { ...world.distribution(world.directory), isPublished: false };
  for (const args of [["update"], ["update", "--check"], ["update", "--force"]]) {
    assert.equal(await world.run(args, { distribution }), 1);
    assert.match(
      world.cli.stderr.text,
      /"@who\/inkling" there may be anybody's program\..* npm install --global \.\/inkling-<version>\.tgz/,
    );
    world.cli.stderr.text = "";
  }
  await assert.rejects(world.calls(), Deno.errors.NotFound);
});

Deno.test("update asks npm alone with --check, and never has it go back to an older version", async () => {
  for (
    const [newest, args, code, says] of [
      ["1.3.0", ["update", "--check"], 0, /^Inkling 1\.3\.0 is available/],
      ["1.2.0", ["update"], 1, /--force installs the older one/],
    ] as const
  ) {
    await using world = await NpmWorld.open(newest);
    assert.equal(await world.run(args), code);
    assert.deepEqual(await world.calls(), ["view @who/inkling version"]);
    assert.match(world.cli.stdout.text + world.cli.stderr.text, says);
  }
});

Deno.test("update leaves a package alone that npm has not installed globally", async () => {
  await using world = await NpmWorld.open("1.3.0");
  const directory = join(world.home, "project", "node_modules", "@who", "inkling");
  await Deno.mkdir(directory, { recursive: true });
  const distribution = world.distribution(directory);
  assert.equal(await world.run(["update"], { distribution }), 1);
  assert.ok(!(await world.calls()).some((call) => call.startsWith("install")));
  assert.match(
    world.cli.stderr.text,
    /which is not npm's global folder: update it with whatever .* @who\/inkling@1\.3\.0/,
  );
});

Deno.test("update passes on what npm complains of, without what could move the cursor", async () => {
  await using world = await NpmWorld.open("1.3.0");
  await Deno.writeTextFile(join(world.home, "refuses"), "npm error code EACCES\u001b[2J\nmore\n");
  assert.equal(await world.run(["update"]), 1);
  assert.equal(
    world.cli.stderr.text.split("\n").slice(1).join("\n"),
    'Error: "npm install -g @who/inkling@1.3.0" failed (exit code 243):\nnpm error code EACCES\nmore\n',
  );
});

Deno.test("update tells how to go back when what npm installed does not start", async () => {
  await using world = await NpmWorld.open("1.3.0");
  const selfCommand = ["sh", "-c", "echo no deno >&2; exit 3"];
  assert.equal(await world.run(["update"], { selfCommand }), 1);
  assert.match(
    world.cli.stderr.text,
    /Inkling 1\.3\.0 does not start here: exit code 3: no deno\n"npm install -g @who\/inkling@1\.2\.3" restores the old version/,
  );
});

Deno.test("update tells when npm knows no version, or is not there at all", async () => {
  await using world = await NpmWorld.open("");
  assert.equal(await world.run(["update"]), 1);
  assert.match(world.cli.stderr.text, /npm has no version of @who\/inkling: no answer/);
  world.cli.stderr.text = "";
  const environment = { HOME: world.home, PATH: join(world.home, "lib") };
  assert.equal(await world.run(["update"], { environment }), 1);
  assert.match(world.cli.stderr.text, /Cannot do "npm view .*": npm is not on the PATH/);
});
