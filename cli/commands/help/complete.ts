// complete: what a shell's script asks at a press of the Tab key.
import type { Program } from "../../command_line/command.ts";
import { completeLine } from "../../completions/complete_line.ts";
import type { Completion } from "../../completions/completion.ts";
import { ServiceValues } from "../../completions/service_values.ts";
import { formatAnswer, readShellLine } from "../../completions/shell.ts";
import type { Shell } from "../../completions/shell_script.ts";
import type { CommandContext } from "../../context.ts";

const NOTHING: Completion = { candidates: [], fallback: "none" };

/** Answers with what fits the last of the words that the shell handed over. */
export async function complete(
  { app, output }: CommandContext,
  program: Program,
  options: { shell: Shell; handed: readonly string[] },
): Promise<void> {
  const { shell, handed } = options;
  const line = readShellLine(shell, handed);
  let completion = NOTHING;
  try {
    completion = await completeLine(program, line.words, new ServiceValues(app));
  } catch (error) {
    // Somebody is in the middle of typing: an error would be drawn over the line. `--verbose` shows it to who looks.
    if (output.verbose) output.error(error instanceof Error ? error.message : String(error));
  }
  output.stdout.write(formatAnswer(shell, completion, line));
}
