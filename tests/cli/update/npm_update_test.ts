// Tests of the update of the npm package. The fake npm on the PATH keeps packages as shell scripts.
import { join } from "node:path";
import type { CliApp } from "../../../cli/context/app.ts";
import { runCli } from "../../../cli/mod.ts";
import type { Distribution } from "../../../cli/context/distribution.ts";
import { SystemClock } from "../../../base/clock.ts";
import { createFakeCli, type FakeCli } from "../fake_cli.ts";
import { assertPicture } from "../picture.ts";
import { standIn } from "./release_server.ts";

/** The fake npm: `view` and `root -g` print files, and `install -g` writes a program with the given version. */
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

  /** Runs a command, and compares its output and the calls of npm with the snapshot. */
  async shows(t: Deno.TestContext, line: string, changes: Partial<CliApp> = {}): Promise<void> {
    const { stdout, stderr } = this.cli;
    stdout.text = stderr.text = "";
    const code = await this.run(line.split(" "), changes);
    const calls = await Deno.readTextFile(join(this.home, "calls")).catch(() => "");
    const text = `${stdout.text}${stderr.text}exit code ${code}\n--- npm\n${calls}`;
    await assertPicture(t, text.replaceAll(this.home, "~"), import.meta.url);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cli[Symbol.asyncDispose]();
    await Deno.remove(this.home, { recursive: true });
  }
}

Deno.test("update installs the newest version with npm and tests it", async (t) => {
  await using world = await NpmWorld.open("1.3.0");
  await world.shows(t, "update --check");
  await world.shows(t, "update");
});

Deno.test("update does not call npm while the registry has no Inkling", async (t) => {
  await using world = await NpmWorld.open("1.3.0");
  const distribution = { ...world.distribution(world.directory), isPublished: false };
  for (const line of ["update", "update --check", "update --force"]) {
    await world.shows(t, line, { distribution });
  }
});

Deno.test("update never installs an older version with npm", async (t) => {
  for (const newest of ["1.2.0", ""]) {
    await using world = await NpmWorld.open(newest);
    await world.shows(t, "update");
  }
});

Deno.test("update does not change a package that npm has not installed globally", async (t) => {
  await using world = await NpmWorld.open("1.3.0");
  const directory = join(world.home, "project", "node_modules", "@who", "inkling");
  await Deno.mkdir(directory, { recursive: true });
  await world.shows(t, "update", { distribution: world.distribution(directory) });
});

Deno.test("update prints npm's error, sanitized", async (t) => {
  await using world = await NpmWorld.open("1.3.0");
  await Deno.writeTextFile(join(world.home, "refuses"), "npm error code EACCES\u001b[2J\nmore\n");
  await world.shows(t, "update");
});

Deno.test("update prints how to restore the old version if the new one does not start", async (t) => {
  await using world = await NpmWorld.open("1.3.0");
  await world.shows(t, "update", { selfCommand: ["sh", "-c", "echo no deno >&2; exit 3"] });
  const environment = { HOME: world.home, PATH: join(world.home, "lib") };
  await world.shows(t, "update", { environment });
});
