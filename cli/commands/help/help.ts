// help: how the program, or one of its commands, is used.
import type { Program } from "../../command_line/command.ts";
import { formatHelp } from "../../command_line/help.ts";
import { findCommand, unknownCommand } from "../../command_line/parse.ts";
import type { CommandContext } from "../../context.ts";

/** Shows the help of the command with this name, else that of the program. Throws UsageError for an unknown name. */
export function help(
  { app, output }: CommandContext,
  program: Program,
  name: string | undefined,
): void {
  const command = findCommand(program, name ?? "");
  if (name !== undefined && command === undefined) throw unknownCommand(program, name);
  const layout = { columns: app.stdout.columns, style: output.style };
  app.stdout.write(formatHelp(program, command ?? program, layout));
}
