// `inkling completions`: prints the completion script of a shell.
import { performs } from "../../command_line/command.ts";
import type { completions } from "../../declarations/help_commands.ts";
import { INSTALL_COMMANDS, loadShellScript, SHELLS } from "../../completions/shell_script.ts";
import type { Shell } from "../../completions/shell_script.ts";
import { misuse } from "../../context/context.ts";

/**
 * Prints the completion script of a shell. At a terminal, without an argument, it prints only the command that installs the
 * script.
 */
export const perform = performs<typeof completions>(async (
  { app, output },
  _options,
  { shell: named },
) => {
  const shell = named ?? findShell(app.environment["SHELL"]);
  if (named === undefined && output.stdout.isTerminal) {
    return output.line(`To install it for ${shell}: ${INSTALL_COMMANDS[shell]}`);
  }
  output.stdout.write(await loadShellScript(shell));
  if (output.stdout.isTerminal) output.note(`To install it: ${INSTALL_COMMANDS[shell]}`);
});

/** Returns the shell whose program has this path. Throws CommandFailure for an unsupported shell. */
function findShell(path = ""): Shell {
  const found = SHELLS.find((one) => one === path.split("/").at(-1));
  if (found !== undefined) return found;
  const reason = path === "" ? "SHELL is not set" : `SHELL names ${path}, which has no script`;
  throw misuse(
    `Cannot find your shell: ${reason}. Run one of: ${
      SHELLS.map((shell) => `inkling completions ${shell}`).join(", ")
    }`,
  );
}
