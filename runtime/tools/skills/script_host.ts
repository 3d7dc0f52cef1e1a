// The port to whatever runs .ts and .js scripts by this runtime itself.
import type { ProgramEnd } from "../processes/run_program.ts";
import type { PathSandbox } from "../files/path_sandbox.ts";
import type { ToolContext } from "../tool.ts";

/** A script to run. */
export interface ScriptRun {
  /** Real path. */
  path: string;
  args: readonly string[];
  cwd: string;
  /** All that it sees of an environment. */
  environment: Readonly<Record<string, string>>;
  timeoutMs: number;
  /** Of standard output and standard error together; what is more is read and dropped. */
  maxOutputBytes: number;
  /** The skill's folder, which it may read. */
  folder: PathSandbox;
}

/** Runs scripts with restricted permissions. */
export interface ScriptHost {
  /**
   * Runs one in a child process that may read the skill's folder and reach the agent's paths, and nothing else. It is
   * gone at the end. Throws ToolFailure when it cannot be started, and the context's signal's reason when that aborts.
   */
  runScript(script: ScriptRun, context: ToolContext): Promise<ProgramEnd>;
}
