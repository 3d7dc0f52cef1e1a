// Prints the warnings about config.yaml for commands that read it or start a service.
import type { CommandContext } from "./context.ts";
import { showConfigWarnings } from "../output/problems.ts";

/** Prints the warnings about config.yaml on standard error, unless --quiet is set. Rejects if config.yaml is invalid. */
export async function warnOfConfig(context: CommandContext): Promise<void> {
  const { app, output } = context;
  if (!output.quiet) showConfigWarnings(output, await app.configWarnings(context));
}
