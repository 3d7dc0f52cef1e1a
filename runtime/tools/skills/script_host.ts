// The interface of the runner of .ts and .js scripts.
import type { ProgramEnd } from "../processes/run_program.ts";
import type { PathSandbox } from "../files/path_sandbox.ts";
import type { ToolContext } from "../definition/tool.ts";

/** A script to run. */
export interface ScriptRun {
  /** The real path. */
  path: string;
  args: readonly string[];
  cwd: string;
  /** The whole environment of the script. */
  environment: Readonly<Record<string, string>>;
  timeoutMs: number;
  /** The maximum size of standard output and standard error together. Output over it is read and dropped. */
  maxOutputBytes: number;
  /** The skill's folder, which the script may read. */
  folder: PathSandbox;
}

/** Runs scripts with restricted permissions. */
export interface ScriptHost {
  /**
   * Runs a script in a child process that may read only the skill's folder and reach the agent's paths. The process is gone
   * at the end. Throws ToolFailure when it cannot be started, and the signal's reason on abort.
   */
  runScript(script: ScriptRun, context: ToolContext): Promise<ProgramEnd>;
}
