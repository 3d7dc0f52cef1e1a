// `inkling help`: prints the help of the program or of a command.
import type { Perform, Program } from "../../command_line/command.ts";
import { formatHelp } from "../../command_line/help.ts";
import { findCommand, unknownCommand } from "../../command_line/parse.ts";
import type { help } from "../../declarations/help_commands.ts";

/**
 * Returns the code of the command. It prints the help of the named command or of the program, and throws UsageError for an
 * unknown name.
 */
export const helpOf = (program: Program): { perform: Perform<typeof help> } => ({
  perform({ app, output }, _options, { command: name }) {
    const command = findCommand(program, name ?? "");
    if (name !== undefined && command === undefined) throw unknownCommand(program, name);
    const layout = { columns: app.stdout.columns, style: output.style };
    app.stdout.write(formatHelp(program, command ?? program, layout));
    return Promise.resolve();
  },
});
