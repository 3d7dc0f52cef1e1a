// The warnings about config.yaml, for commands that read it or start a service that does.
import { type CommandContext, workspaceOf } from "./context.ts";
import { showConfigWarnings } from "./output/problems.ts";

/** Shows them on standard error, unless --quiet is set. Rejects when config.yaml cannot be used. */
export async function warnOfConfig(context: CommandContext): Promise<void> {
  const { app, output } = context;
  if (!output.quiet) showConfigWarnings(output, await app.configWarnings(workspaceOf(context)));
}
