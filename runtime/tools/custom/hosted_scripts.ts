// Runs .ts and .js scripts of skills with Inkling's own Deno runtime, with the same limits as custom tools.
import { pathToFileURL } from "node:url";
import type { ProcessSandbox } from "../../sandbox/process_sandbox.ts";
import { type ProgramEnd, runProgram } from "../processes/run_program.ts";
import type { ScriptHost, ScriptRun } from "../skills/script_host.ts";
import type { ToolContext } from "../definition/tool.ts";
import { allowedPaths, readablePaths } from "./allowed_paths.ts";
import type { HostedScript } from "./host_messages.ts";
import { hostCommand, type HostProgram } from "./host_program.ts";
import { confineHost } from "./host_sandbox.ts";
import type { ToolDirectories } from "./custom_tools.ts";

/** The options of HostedScripts. */
export interface HostedScriptsOptions {
  directories: ToolDirectories;
  program: HostProgram;
  sandbox: ProcessSandbox;
  /** Returns an environment variable of the service, or undefined. */
  lookup(name: string): string | undefined;
}

/** The runner of .ts and .js scripts. Each script runs in a process of its own, which ends with the script. */
export class HostedScripts implements ScriptHost {
  readonly #options: HostedScriptsOptions;

  constructor(options: HostedScriptsOptions) {
    this.#options = options;
  }

  /**
   * Runs a script. It may use the agent's paths, and read the skill's folder and the variables in `environment`. It has no
   * network.
   */
  async runScript(
    { folder, path, args, environment, ...script }: ScriptRun,
    context: ToolContext,
  ): Promise<ProgramEnd> {
    const { program, lookup, directories, sandbox } = this.#options;
    const own = await readablePaths(folder, context);
    const allowed = await allowedPaths(context.sandbox, context);
    const roots = await context.sandbox.roots();
    const folders = (await folder.roots()).map(({ path }) => path);
    const env = Object.keys(environment);
    const permissions = {
      read: [...own.read, ...allowed.read],
      write: allowed.write,
      net: [],
      env,
    };
    const read = [directories.configDir, directories.stateDir, directories.workspaceEnvFile];
    const outer = {
      read: [...folders, ...roots.map(({ path }) => path)],
      write: roots.flatMap(({ path, access }) => access === "write" ? [path] : []),
      net: [],
      env,
    };
    const command = hostCommand(program, {
      role: "script",
      permissions: outer,
      closed: { read, write: [...read, directories.agentsDir] },
      args,
      lookup,
      variables: environment,
    });
    const hosted: HostedScript = { url: pathToFileURL(path).href, args: [...args], permissions };
    const confined = await confineHost({ ...command, cwd: script.cwd }, {
      sandbox,
      host: program,
      permissions: outer,
      directories,
    });
    return await runProgram(confined.program, {
      ...script,
      ...confined,
      input: JSON.stringify(hosted),
      signal: context.signal,
      clock: context.clock,
      redactor: context.redactor,
    });
  }
}
