// Commands about the command line itself, as it declares them. What they do is loaded when one is
// chosen; their declarations stand in few files, because each file that is loaded takes a start its time.
import { optional, required, rest } from "../command_line/argument.ts";
import { type Command, declareCommand, type Program } from "../command_line/command.ts";
import { COMMAND, oneOf, TEXT } from "../command_line/value_type.ts";
import { INSTALL_COMMANDS, SHELLS } from "../completions/shell_script.ts";

/** `completions`. */
export const completions = declareCommand({
  name: "completions",
  description: "Print a script that has your shell complete commands, options and ids",
  examples: [
    [INSTALL_COMMANDS.bash, "install for bash"],
    [INSTALL_COMMANDS.zsh, "install for zsh"],
    [INSTALL_COMMANDS.fish, "install for fish"],
    ['eval "$(inkling completions bash)"', "for this shell alone (zsh alike)"],
  ],
  arguments: { shell: required("Your shell", oneOf(SHELLS)) },
  options: {},
  async perform(context, _options, { shell }) {
    const { completions } = await import("../commands/completions.ts");
    return await completions(context, shell);
  },
});

/** `complete`, of the program that `program` returns once it is declared. */
export const declareComplete = (program: () => Program): Command =>
  declareCommand({
    name: "complete",
    description: "Tell a completion script what fits a command line",
    examples: [
      ["inkling complete zsh -- run ''", "what may stand behind run"],
    ],
    isHidden: true,
    arguments: {
      shell: required("The shell that asks", oneOf(SHELLS)),
      words: rest("The words behind the program's name, up to the cursor", TEXT),
    },
    options: {},
    async perform(context, _options, { shell, words }) {
      const { complete } = await import("../commands/complete.ts");
      return await complete(context, program(), { shell, handed: words });
    },
  });

/** `help`, of the program that `program` returns once it is declared. */
export const declareHelp = (program: () => Program): Command =>
  declareCommand({
    name: "help",
    description: "Show the help of a command",
    examples: [
      ["inkling help run", "how run is used"],
    ],
    arguments: { command: optional("The command's name", COMMAND) },
    options: {},
    async perform(context, _options, { command }) {
      const { help } = await import("../commands/help.ts");
      return help(context, program(), command);
    },
  });
