// `inkling complete`: prints the completions of a command line for a shell's completion script.
import type { Perform, Program } from "../../command_line/command.ts";
import { completeLine, type Completion } from "../../completions/complete_line.ts";
import { ServiceValues } from "../../completions/service_values.ts";
import { formatAnswer, readShellLine } from "../../completions/shell.ts";
import type { complete } from "../../declarations/help_commands.ts";

const NOTHING: Completion = { candidates: [], fallback: "none" };

/** Returns the code of the command. It prints the completions of the last word that the shell passes. */
export const completeFor = (program: Program): { perform: Perform<typeof complete> } => ({
  async perform({ app, output }, _options, { shell, words }) {
    const line = readShellLine(shell, words);
    let completion = NOTHING;
    try {
      completion = await completeLine(program, line.words, new ServiceValues(app));
    } catch (error) {
      // An error message would overwrite the line that the user is typing. So the message is printed only with --verbose.
      if (output.verbose) output.error(error instanceof Error ? error.message : String(error));
    }
    output.stdout.write(formatAnswer(shell, completion, line));
  },
});
