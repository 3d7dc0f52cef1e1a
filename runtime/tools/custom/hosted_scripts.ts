// Runs .ts and .js scripts of skills with Inkling's own Deno runtime, with the same limits as custom tools.
import { pathToFileURL } from "node:url";
import { type ProgramEnd, runProgram, type RunProgramOptions } from "../processes/run_program.ts";
import type { PathSandbox } from "../files/path_sandbox.ts";
import type { ToolContext } from "../definition/tool.ts";
import { hostPermissions } from "./allowed_paths.ts";
import type { HostedScript } from "./host_messages.ts";
import { hostCommand, type HostSettings } from "./host_program.ts";

/** A script of a skill, with the options of its run. */
export interface ScriptRun
  extends Pick<RunProgramOptions, "args" | "cwd" | "environment" | "timeoutMs" | "maxOutputBytes"> {
  /** The real path of the script. */
  path: string;
  /** The sandbox of the skill's folder, which the script may read. */
  folder: PathSandbox;
}

/**
 * Runs a script in a process of its own and returns its output. The script may use the agent's paths, and read the skill's
 * folder and the variables in `environment`. It has no network. The process has ended when the promise settles. Throws
 * ToolFailure if the process cannot be started, and the signal's reason on abort.
 */
export async function runHostedScript(
  settings: HostSettings,
  { folder, path, args, environment, cwd, ...script }: ScriptRun,
  context: ToolContext,
): Promise<ProgramEnd> {
  const permissions = { net: [], env: Object.keys(environment) };
  const { inner, outer } = await hostPermissions(folder, context, permissions);
  const command = await hostCommand(settings, {
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
