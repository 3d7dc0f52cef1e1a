// Runs .ts and .js scripts with this runtime, confined like custom tools.
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

/** The options for running scripts of skills. */
export interface HostedScriptsOptions {
  directories: ToolDirectories;
  program: HostProgram;
  sandbox: ProcessSandbox;
  /** Returns a variable of the service's environment. */
  lookup(name: string): string | undefined;
}

/** Runs each script in a process of its own, which ends with it. */
export class HostedScripts implements ScriptHost {
  readonly #options: HostedScriptsOptions;

  constructor(options: HostedScriptsOptions) {
    this.#options = options;
  }

  /** The script may read its folder and the given variables, and has no network. */
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
