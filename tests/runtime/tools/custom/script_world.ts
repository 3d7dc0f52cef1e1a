// The folder of a skill whose scripts run in separate processes.
import { join } from "node:path";
import type { AgentPath } from "../../../../runtime/agents/agent.ts";
import { SystemClock } from "../../../../base/clock.ts";
import {
  type HostProgram,
  type HostSettings,
  ownProgram,
} from "../../../../runtime/tools/custom/host_program.ts";
import { runHostedScript } from "../../../../runtime/tools/custom/hosted_scripts.ts";
import { PathSandbox } from "../../../../runtime/tools/files/path_sandbox.ts";
import type { ProgramEnd } from "../../../../runtime/tools/processes/run_program.ts";
import { denoDirectory } from "../../../support/repository.ts";
import { noSandbox } from "../../sandbox/system_sandbox.ts";
import { SandboxFixture, testContext } from "../files/sandbox_fixture.ts";
import { directoriesOf } from "./tool_world.ts";

export interface ScriptOptions {
  args?: string[];
  timeoutMs?: number;
  signal?: AbortSignal;
  paths?: AgentPath[];
  readPaths?: string[];
}

/** A skill's folder with one script. */
export class ScriptWorld implements AsyncDisposable {
  readonly fixture: SandboxFixture;
  readonly folder: string;
  readonly #settings: HostSettings;

  private constructor(fixture: SandboxFixture, program: HostProgram) {
    this.fixture = fixture;
    this.folder = join(fixture.workspace, "agents/_config/skills/one");
    const variables: Record<string, string> = { HOME: fixture.home, DENO_DIR: denoDirectory() };
    this.#settings = {
      directories: directoriesOf(fixture),
      program,
      lookup: (name) => variables[name],
      sandbox: noSandbox(),
    };
  }

  static async open(program: HostProgram = ownProgram()): Promise<ScriptWorld> {
    const world = new ScriptWorld(await SandboxFixture.open(), program);
    await Deno.mkdir(world.folder, { recursive: true });
    await world.fixture.write("notes/a.txt", "text");
    return world;
  }

  async run(source: string, options: ScriptOptions = {}): Promise<ProgramEnd> {
    const path = join(this.folder, "script.ts");
    await Deno.writeTextFile(path, source);
    const { args = [], timeoutMs = 60_000, signal, paths, readPaths } = options;
    const { workspace } = this.fixture;
    const sandbox = this.fixture.sandbox(paths, readPaths);
    const own = { ...this.fixture.options(), workspace: this.folder, agentsDir: null };
    return await runHostedScript(this.#settings, {
      path,
      folder: new PathSandbox(own),
      args,
      cwd: join(workspace, "notes"),
      environment: { SKILL_DIR: this.folder, PATH: "/usr/bin" },
      timeoutMs,
      maxOutputBytes: 10_000,
    }, testContext(sandbox, { clock: new SystemClock(), ...(signal && { signal }) }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.fixture[Symbol.asyncDispose]();
  }
}
