// `inkling permissions`: prints the Deno permission flags that the service of this workspace needs, each with its reason.
import { performs } from "../../command_line/command.ts";
import type { permissions } from "../../declarations/service_commands.ts";
import { commandFailed } from "../../context/context.ts";
import { toOneLine } from "../../output/sanitize.ts";
import { toShellWord } from "../../command_line/shell_word.ts";

/** Prints the permission flags that the current config.yaml and agent files require. */
export const perform = performs<typeof permissions>(async (context, options) => {
  const { app, output } = context;
  const { host } = options;
  const of = { workspace: context.workspace, host };
  const { flags, remarks, command } = await app.permissions(of);
  // The absolute path, because the user may paste the command in any folder.
  const { workspace } = await app.places(context.workspace);
  const whole = command === null ? null : [
    ...command,
    "start",
    ...(workspace === undefined ? [] : ["--workspace", workspace]),
    ...(host === undefined ? [] : ["--host", host]),
  ];
  if (options.json) return output.json({ flags, remarks, command: whole });
  if (options.command) {
    if (whole === null) throw commandFailed(BUILT_IN);
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
  "This program is compiled, so its permissions are fixed. Use these flags with Deno and Inkling's source or npm package";
