// Tells whoever has set nothing up, in one line, how to.
import type { CliApp, WorkspaceOption } from "./app.ts";
import { workspaceOf } from "./context.ts";
import { CommandFailure, EXIT } from "./exit.ts";
import type { Output } from "./output/output.ts";

/** The line. */
export const FIRST_STEP = 'Inkling is not set up yet: "inkling setup" does it, in a minute';

/** Commands that are of no use without an agent. */
const NEED_AGENTS: ReadonlySet<string> = new Set(["run", "chat"]);
/** Commands that have nothing to show yet. The others need nothing, or say themselves what is missing. */
const SHOW_AGENTS: ReadonlySet<string> = new Set([
  ...["start", "status", "list", "logs", "pending", "respond", "checkpoint", "validate", "ui"],
]);

/**
 * Says the line before a command where neither config.yaml nor an agents folder exists. Throws CommandFailure instead
 * for a command that could only fail.
 */
export async function leadToSetup(
  command: string,
  options: WorkspaceOption & { app: CliApp; output: Output },
): Promise<void> {
  const { app, output } = options;
  if (!NEED_AGENTS.has(command) && !SHOW_AGENTS.has(command)) return;
  if (await app.isSetUp(workspaceOf(options))) return;
  if (NEED_AGENTS.has(command)) throw new CommandFailure(EXIT.failed, FIRST_STEP);
  output.note(FIRST_STEP);
}
