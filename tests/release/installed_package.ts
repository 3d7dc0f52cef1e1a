// The npm package, installed in a node_modules folder below an otherwise empty home.
import { dirname, join } from "node:path";
import { ignoreMissing } from "../../base/files/missing.ts";
import { COMPILE_FLAGS } from "../../release/executable.ts";
import { copyTree } from "../../release/folder.ts";
import type { Stage } from "../../release/stage.ts";
import { killService } from "../e2e/real_process.ts";
import { createTestWorkspace, type TestWorkspace } from "../support/test_workspace.ts";
import { builtPackage } from "./built_package.ts";
import type { TaskRun } from "./task_run.ts";

/** An address that refuses every connection. */
const NOWHERE = "http://127.0.0.1:1";

/** An installed npm package with a workspace. */
export class InstalledPackage implements AsyncDisposable {
  readonly home: TestWorkspace;
  /** The build stage from which the package was made. */
  readonly stage: Pick<Stage, "files" | "packages">;
  /** The folder of the package, `…/node_modules/inkling`. */
  readonly directory: string;

  private constructor(home: TestWorkspace, stage: InstalledPackage["stage"]) {
    this.home = home;
    this.stage = stage;
    this.directory = join(home.root, "lib/node_modules/inkling");
  }

  /** Installs the package. Its `deno` dependency is a fake that starts the tests' Deno. */
  static async open(): Promise<InstalledPackage> {
    const stage = await builtPackage();
    const installed = new InstalledPackage(await createTestWorkspace(), stage);
    await Deno.mkdir(dirname(installed.directory), { recursive: true });
    await copyTree(stage.directory, installed.directory);
    await installed.setDeno(Deno.execPath());
    return installed;
  }

  /** Replaces the package's Deno by this program. `isReady`: npm has already run the install script of Deno. */
  async setDeno(program: string, { isReady = true } = {}): Promise<void> {
    const folder = join(this.directory, "../deno");
    await Deno.remove(folder, { recursive: true }).catch(ignoreMissing);
    await Deno.mkdir(folder, { recursive: true });
    if (isReady) await Deno.symlink(program, join(folder, "deno"));
    await Deno.writeTextFile(
      join(folder, "install_api.cjs"),
      `exports.runInstall = () => ${JSON.stringify(program)};\n`,
    );
  }

  /** The command that npm puts on the PATH. */
  get bin(): string[] {
    return [join(this.directory, "bin/inkling")];
  }

  /** The environment of every process: a home, and proxy variables that block the network. */
  get env(): Record<string, string> {
    return {
      ...this.home.shell,
      PATH: Deno.env.get("PATH") ?? "",
      HOME: this.home.root,
      NO_COLOR: "1",
      ...{ NPM_CONFIG_REGISTRY: NOWHERE, HTTPS_PROXY: NOWHERE, HTTP_PROXY: NOWHERE },
      NO_PROXY: "",
    };
  }

  /** Starts a command in the home. */
  spawn([program = "", ...args]: readonly string[]): Deno.ChildProcess {
    return new Deno.Command(program, {
      args,
      cwd: this.home.root,
      clearEnv: true,
      env: this.env,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
  }

  /** Runs a command in the home to its end. */
  async run(command: readonly string[]): Promise<TaskRun> {
    const { code, stdout, stderr } = await this.spawn(command).output();
    const text = new TextDecoder();
    return { code, stdout: text.decode(stdout), stderr: text.decode(stderr) };
  }

  /**
   * Writes a program that behaves like an executable: it starts by its path alone, has built-in permissions, and is
   * standalone for Deno. Returns the program's path. A sandbox does not contain the program's files.
   */
  async writeExecutable(): Promise<string> {
    const path = join(this.home.root, "inkling");
    const standing = join(this.home.root, "standing_alone.js");
    await Deno.writeTextFile(
      standing,
      `Object.defineProperty(Deno, "build", { value: { ...Deno.build, standalone: true } });
       Object.defineProperty(Deno, "execPath", { value: () => ${JSON.stringify(path)} });\n`,
    );
    const command = [
      ...[Deno.execPath(), "run", "--quiet", "--preload", standing],
      ...["--config", join(this.directory, "deno.json")],
      // Leaves out the flags that have a meaning only during the build.
      ...COMPILE_FLAGS.filter((flag) => !/^--(app-name|no-code-cache|no-check)/.test(flag)),
      join(this.directory, "main.js"),
    ];
    const quoted = command.map((part) => `'${part}'`).join(" ");
    await Deno.writeTextFile(path, `#!/bin/sh\nexec ${quoted} "$@"\n`);
    await Deno.chmod(path, 0o755);
    return path;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await killService(this.home.stateDir);
    await this.home[Symbol.asyncDispose]();
  }
}
