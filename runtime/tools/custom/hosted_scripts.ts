// Runs .ts and .js scripts of skills with Inkling's own Deno runtime, with the same limits as custom tools.
import { pathToFileURL } from "node:url";
import { type ProgramEnd, runProgram } from "../processes/run_program.ts";
import type { ScriptHost, ScriptRun } from "../skills/script_host.ts";
import type { ToolContext } from "../definition/tool.ts";
import { hostPermissions } from "./allowed_paths.ts";
import type { HostedScript } from "./host_messages.ts";
import { hostCommand, type HostSettings } from "./host_program.ts";

/** The runner of .ts and .js scripts. Each script runs in a process of its own, which ends with the script. */
export class HostedScripts implements ScriptHost {
  readonly #settings: HostSettings;

  constructor(settings: HostSettings) {
    this.#settings = settings;
  }

  /**
   * Runs a script. It may use the agent's paths, and read the skill's folder and the variables in `environment`. It has no
   * network.
   */
  async runScript(
    { folder, path, args, environment, cwd, ...script }: ScriptRun,
    context: ToolContext,
  ): Promise<ProgramEnd> {
    const permissions = { net: [], env: Object.keys(environment) };
    const { inner, outer } = await hostPermissions(folder, context, permissions);
    const command = await hostCommand(this.#settings, {
      ...{ role: "script", permissions: outer, variables: environment, args, cwd },
    });
    const { href: url } = pathToFileURL(path);
    const hosted: HostedScript = { url, args: [...args], permissions: inner };
    const { signal, clock, redactor } = context;
    const input = JSON.stringify(hosted);
    return await runProgram(command.program, {
      ...{ ...script, ...command, input, signal, clock, redactor },
    });
  }
}
