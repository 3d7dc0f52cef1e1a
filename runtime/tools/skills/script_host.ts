// Declares the interface of the runner of .ts and .js scripts, so that skills do not import the runner.
import type { ProgramEnd } from "../processes/run_program.ts";
import type { PathSandbox } from "../files/path_sandbox.ts";
import type { ToolContext } from "../definition/tool.ts";

/** A script of a skill, with the options of its run. */
export interface ScriptRun {
  /** The real path of the script. */
  path: string;
  args: readonly string[];
  cwd: string;
  /** The script's environment variables. It inherits no others. */
  environment: Readonly<Record<string, string>>;
  timeoutMs: number;
  /**
   * The maximum size of standard output and standard error together, in bytes. The output beyond it is read and dropped.
   */
  maxOutputBytes: number;
  /** The sandbox of the skill's folder, which the script may read. */
  folder: PathSandbox;
}

/** The runner of .ts and .js scripts with restricted permissions. */
export interface ScriptHost {
  /**
   * Runs a script in a child process and returns its output. The script may only use the agent's paths, and read the
   * skill's folder. The process has ended when the promise settles. Throws ToolFailure if the process cannot be started,
   * and the signal's reason on abort.
   */
  runScript(script: ScriptRun, context: ToolContext): Promise<ProgramEnd>;
}
