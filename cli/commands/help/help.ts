// help: how the program, or one of its commands, is used.
import type { Perform, Program } from "../../command_line/command.ts";
import { formatHelp } from "../../command_line/help.ts";
import { findCommand, unknownCommand } from "../../command_line/parse.ts";
import type { help } from "../../declarations/help_commands.ts";

/** Shows the help of a command of the program, else that of the program. Throws UsageError for an unknown name. */
export const helpOf = (program: Program): { perform: Perform<typeof help> } => ({
  perform({ app, output }, _options, { command: name }) {
    const command = findCommand(program, name ?? "");
    if (name !== undefined && command === undefined) throw unknownCommand(program, name);
    const layout = { columns: app.stdout.columns, style: output.style };
    app.stdout.write(formatHelp(program, command ?? program, layout));
    return Promise.resolve();
  },
});
