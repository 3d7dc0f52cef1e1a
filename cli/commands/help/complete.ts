// complete: what a shell's script asks at a press of the Tab key.
import type { Perform, Program } from "../../command_line/command.ts";
import { completeLine } from "../../completions/complete_line.ts";
import type { Completion } from "../../completions/completion.ts";
import { ServiceValues } from "../../completions/service_values.ts";
import { formatAnswer, readShellLine } from "../../completions/shell.ts";
import type { complete } from "../../declarations/help_commands.ts";

const NOTHING: Completion = { candidates: [], fallback: "none" };

/** Answers with what fits the last of the words that the shell handed over, of a command line of the program. */
export const completeFor = (program: Program): { perform: Perform<typeof complete> } => ({
  async perform({ app, output }, _options, { shell, words }) {
    const line = readShellLine(shell, words);
    let completion = NOTHING;
    try {
      completion = await completeLine(program, line.words, new ServiceValues(app));
    } catch (error) {
      // Somebody is in the middle of typing: an error would be drawn over the line. `--verbose` shows it to who looks.
      if (output.verbose) output.error(error instanceof Error ? error.message : String(error));
    }
    output.stdout.write(formatAnswer(shell, completion, line));
  },
});
