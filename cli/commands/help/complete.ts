// `inkling complete`: the completions of a command line, for the script of a shell.
import type { Perform, Program } from "../../command_line/command.ts";
import { completeLine } from "../../completions/complete_line.ts";
import type { Completion } from "../../completions/completion.ts";
import { ServiceValues } from "../../completions/service_values.ts";
import { formatAnswer, readShellLine } from "../../completions/shell.ts";
import type { complete } from "../../declarations/help_commands.ts";

const NOTHING: Completion = { candidates: [], fallback: "none" };

/** Creates the command: it prints the completions of the last of the words that the shell passes. */
export const completeFor = (program: Program): { perform: Perform<typeof complete> } => ({
  async perform({ app, output }, _options, { shell, words }) {
    const line = readShellLine(shell, words);
    let completion = NOTHING;
    try {
      completion = await completeLine(program, line.words, new ServiceValues(app));
    } catch (error) {
      // The user is typing: an error message would overwrite the line. --verbose shows it.
      if (output.verbose) output.error(error instanceof Error ? error.message : String(error));
    }
    output.stdout.write(formatAnswer(shell, completion, line));
  },
});
