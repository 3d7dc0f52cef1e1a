// The context that every command receives: the program's functions, the output, and the shared --workspace option.
import type { CliApp, WorkspaceOption } from "./app.ts";
import type { Output } from "../output/output.ts";

export {
  commandFailed,
  CommandFailure,
  type CommandResult,
  EXIT,
  type ExitCode,
  Interrupted,
  misuse,
} from "./exit.ts";

/** The context of one call of a command. */
export interface CommandContext extends WorkspaceOption {
  app: CliApp;
  output: Output;
}
