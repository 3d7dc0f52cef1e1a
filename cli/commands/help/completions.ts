// completions: the script with which a shell completes command lines of inkling.
import { INSTALL_COMMANDS, loadShellScript } from "../../completions/shell_script.ts";
import type { Shell } from "../../completions/shell_script.ts";
import type { CommandContext } from "../../context.ts";
import { EXIT, type ExitCode } from "../../exit.ts";

/** Prints the script of a shell. */
export async function completions({ output }: CommandContext, shell: Shell): Promise<ExitCode> {
  output.stdout.write(await loadShellScript(shell));
  if (output.stdout.isTerminal) output.note(`To install it: ${INSTALL_COMMANDS[shell]}`);
  return EXIT.ok;
}
