// The context of a command: the program around it, its output, and the options that all commands share.
import type { CliApp, WorkspaceOption } from "./app.ts";
import type { Output } from "../output/output.ts";

export { CommandFailure, type CommandResult, EXIT, type ExitCode, Interrupted } from "./exit.ts";

/** The context of one command. */
export interface CommandContext extends WorkspaceOption {
  app: CliApp;
  output: Output;
}

/** Returns only the workspace option, without an undefined value. */
export function workspaceOf({ workspace }: WorkspaceOption): WorkspaceOption {
  return workspace === undefined ? {} : { workspace };
}
