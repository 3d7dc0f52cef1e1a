// permissions: Deno's flags for a service of this workspace, each with its reason.
import { performs } from "../../command_line/command.ts";
import type { permissions } from "../../declarations/service_commands.ts";
import { CommandFailure, EXIT, workspaceOf } from "../../context.ts";
import { toOneLine } from "../../output/sanitise.ts";
import { toShellWord } from "../../command_line/shell_word.ts";

/** Shows the flags that config.yaml and the agents ask for now. */
export const perform = performs<typeof permissions>(async (context, options) => {
  const { app, output } = context;
  const { host } = options;
  const of = { ...workspaceOf(context), ...(host !== undefined && { host }) };
  const { flags, remarks, command } = await app.permissions(of);
  // Absolute: it is pasted who knows where.
  const { workspace } = await app.places(context.workspace);
  const whole = command === null ? null : [
    ...command,
    "start",
    ...(workspace === undefined ? [] : ["--workspace", workspace]),
    ...(host === undefined ? [] : ["--host", host]),
  ];
  if (options.json) return output.json({ flags, remarks, command: whole });
  if (options.command) {
    if (whole === null) throw new CommandFailure(EXIT.failed, BUILT_IN);
    output.line(toOneLine(whole.map(toShellWord).join(" ")));
    return;
  }
  for (const { flag, why } of flags) {
    const reason = output.quiet ? "" : output.style.dim(`  # ${toOneLine(why)}`);
    output.line(toOneLine(toShellWord(flag)) + reason);
  }
  for (const remark of remarks) output.note(`${remark}.`);
  output.note(
    whole === null ? `${BUILT_IN}.` : `"inkling permissions --command" prints a command to paste.`,
  );
});

const BUILT_IN =
  "This program is compiled: its permissions were fixed when it was made. The flags are for Deno with Inkling's source, " +
  "or with its npm package";
