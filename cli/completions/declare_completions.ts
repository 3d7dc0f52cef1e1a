// `completions`, and the hidden `complete` that its scripts call, as the command line declares them.
import { Argument, type Command, type CommandUnknownOpts } from "@commander-js/extra-typings";
import type { GlobalOptions } from "../global_options.ts";
import { type Shell, SHELLS } from "./shell.ts";

/** Declares the command; `act` does it. */
export function declareCompletions(
  command: Command<[], GlobalOptions>,
  act: (shell: Shell, own: GlobalOptions) => Promise<void>,
): CommandUnknownOpts {
  return command
    .description("Print a script that has your shell complete commands, options and ids")
    .addArgument(new Argument("<shell>", "Your shell").choices(SHELLS))
    .action((shell, own) => act(shell, own));
}

/** Declares the command; `act` does it, given the words that the shell handed over. */
export function declareComplete(
  command: Command<[], GlobalOptions>,
  act: (shell: Shell, handed: readonly string[], own: GlobalOptions) => Promise<void>,
): CommandUnknownOpts {
  return command
    .description("Tell a completion script what fits a command line")
    .addArgument(new Argument("<shell>", "The shell that asks").choices(SHELLS))
    .argument("[words...]", "The words behind the program's name, up to the cursor")
    .action((shell, handed, own) => act(shell, handed, own));
}
