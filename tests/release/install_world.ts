// Runs install.sh on a simulated machine, with a local release, a temporary home, and fake programs that describe the
// machine.
import assert from "node:assert/strict";
import { join } from "node:path";
import { writeReleaseFolder } from "../../release/release_folder.ts";
import { TARGETS } from "../../release/target.ts";
import { type FolderServer, openFolderServer } from "./folder_server.ts";
import type { TaskRun } from "./task_run.ts";

/** Returns a shell script that only answers `--version`. */
export const program = (version: string): string =>
  `#!/bin/sh\n[ "$1" = --version ] && echo ${version}\n`;
/** The release's file for the default machine. */
export const FILE = "inkling-1.2.3-x86_64-unknown-linux-gnu";

const BASIC_PROGRAMS = "sh tr sed cut mktemp rm mv mkdir chmod dirname rmdir cat".split(" ");

/** Returns the path of a program on this machine, or an empty text. */
export async function pathOf(name: string): Promise<string> {
  const { stdout } = await new Deno.Command("sh", { args: ["-c", `command -v ${name}`] }).output();
  return new TextDecoder().decode(stdout).trim();
}

/** A local release, a home, and a machine whose properties a test sets. */
export class InstallWorld implements AsyncDisposable {
  readonly root: string;
  readonly home: string;
  readonly release: string;
  readonly server: FolderServer;
  /** The public keys of the release. */
  keys: readonly string[] = [];
  /** The output of `uname -s`. `machine` is the output of `uname -m`. */
  system = "Linux";
  machine = "x86_64";
  ldd = "ldd (GNU libc) 2.36";

  private constructor(root: string) {
    this.root = root;
    this.home = join(root, "home");
    this.release = join(root, "release");
    this.server = openFolderServer(this.release);
  }

  static async open(): Promise<InstallWorld> {
    const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "inkling-install-" }));
    const world = new InstallWorld(root);
    await Deno.mkdir(world.home);
    await Deno.mkdir(join(root, "bin"));
    await world.publish(program("1.2.3"));
    return world;
  }

  /** Publishes a release whose executables all have this content. */
  async publish(content: string): Promise<void> {
    await writeReleaseFolder(this.release, {
      name: "inkling",
      version: "1.2.3",
      targets: TARGETS,
      address: this.server.address,
      keys: this.keys,
      build: (_target, path) => Deno.writeTextFile(path, content),
    });
  }

  /** The path of the installed program. */
  get installed(): string {
    return join(this.home, ".local/bin/inkling");
  }

  /** Returns every file in the home. */
  files(): string[] {
    const walk = (path: string): string[] =>
      [...Deno.readDirSync(path)].flatMap(({ name, isDirectory }) =>
        isDirectory ? [`${join(path, name)}/`, ...walk(join(path, name))] : [join(path, name)]
      );
    return walk(this.home).map((path) => path.slice(this.home.length + 1)).sort();
  }

  /** Writes a program into the first folder of the PATH. */
  async stub(name: string, script: string): Promise<void> {
    const path = join(this.root, "bin", name);
    await Deno.writeTextFile(path, `#!/bin/sh\n${script}\n`);
    await Deno.chmod(path, 0o755);
  }

  /** Returns a PATH with the world's programs, the basic ones of each machine, and these. */
  async pathWith(...names: string[]): Promise<string> {
    const folder = join(this.root, "tools");
    await Deno.mkdir(folder);
    for (const name of [...BASIC_PROGRAMS, ...names]) {
      await Deno.symlink(await pathOf(name), join(folder, name));
    }
    return `${join(this.root, "bin")}:${folder}`;
  }

  /** Runs install.sh as the release contains it. */
  async install(
    options: {
      shell?: string[];
      /** The environment of the script; undefined removes a variable. */
      env?: Record<string, string | undefined>;
      path?: string;
    } = {},
  ): Promise<TaskRun> {
    await this.stub(
      "uname",
      `case $1 in -s) echo '${this.system}' ;; -m) echo '${this.machine}' ;; esac`,
    );
    await this.stub("ldd", `echo '${this.ldd}' >&2`);
    const [shell = "", ...args] = options.shell ?? ["sh"];
    const env = {
      HOME: this.home,
      PATH: options.path ?? `${join(this.root, "bin")}:${Deno.env.get("PATH")}`,
      ...options.env,
    };
    const { code, stdout, stderr } = await new Deno.Command(shell, {
      args: [...args, join(this.release, "install.sh")],
      cwd: this.root,
      clearEnv: true,
      env: Object.fromEntries(
        Object.entries(env).filter((one): one is [string, string] => one[1] !== undefined),
      ),
      stdin: "null",
    }).output();
    const text = new TextDecoder();
    return { code, stdout: text.decode(stdout), stderr: text.decode(stderr) };
  }

  /** Runs the script. Asserts that it fails with this message and leaves the home unchanged. */
  async refuses(
    reason: RegExp,
    options: Parameters<InstallWorld["install"]>[0] = {},
  ): Promise<void> {
    const before = this.files();
    const { code, stdout, stderr } = await this.install(options);
    assert.match(stderr, reason, stdout);
    assert.match(stderr, /^install\.sh: /m);
    assert.ok(code > 0, `exit code ${code}`);
    assert.deepEqual(this.files(), before);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
    await Deno.remove(this.root, { recursive: true });
  }
}

/** Returns the version that an installed program prints. */
export async function versionOf(path: string): Promise<string> {
  const { stdout } = await new Deno.Command(path, { args: ["--version"] }).output();
  return new TextDecoder().decode(stdout).trim();
}
