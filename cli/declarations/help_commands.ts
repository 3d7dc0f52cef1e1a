// Declares the commands about the command line itself: help and completions.
// One file contains many declarations, because each imported file slows down the start of every command.
import { optional, required, rest } from "../command_line/argument.ts";
import { declareCommand } from "../command_line/command.ts";
import { COMMAND, oneOf, TEXT } from "../command_line/value_type.ts";
import { INSTALL_COMMANDS, SHELLS } from "../completions/shell_script.ts";

/** The declaration of `inkling completions`. */
export const completions = declareCommand({
  name: "completions",
  description: "Print a shell completion script for commands, options and ids",
  examples: [
    [INSTALL_COMMANDS.bash, "install for bash"],
    [INSTALL_COMMANDS.zsh, "install for zsh"],
    [INSTALL_COMMANDS.fish, "install for fish"],
    ['eval "$(inkling completions bash)"', "for this shell session only (same for zsh)"],
  ],
  arguments: { shell: optional("Your shell (default: from SHELL)", oneOf(SHELLS)) },
});

/** The declaration of `inkling complete`. */
export const complete = declareCommand({
  name: "complete",
  description: "List the completions of a command line, for a completion script",
  examples: [["inkling complete zsh -- run ''", "the words that may follow run"]],
  isHidden: true,
  arguments: {
    shell: required("The shell of the completion script", oneOf(SHELLS)),
    words: rest("The words after the program's name, up to the cursor", TEXT),
  },
});

/** The declaration of `inkling help`. */
export const help = declareCommand({
  name: "help",
  description: "Show the help of a command",
  examples: [["inkling help run", "show the help of run"]],
  arguments: { command: optional("The command's name", COMMAND) },
});
