// A workspace flag that leads to no folder: refused, before a command checks nothing or leaves a service behind.
import type { CliApp, WorkspaceOption } from "./app.ts";
import { CommandFailure, EXIT } from "./exit.ts";
import { toOneLine } from "./output/sanitise.ts";

/** Commands that make the folder, and those that need none. */
const NEED_NONE: ReadonlySet<string> = new Set([
  ...["setup", "new"],
  ...["help", "completions", "complete"],
]);
/** Commands about what ran, and what waits: they also serve a workspace that is gone. */
const LOOK_BACK: ReadonlySet<string> = new Set([
  ...["stop", "status", "logs"],
  ...["pending", "respond", "checkpoint"],
]);

/** Throws CommandFailure for a command whose workspace was named and is no folder. */
export async function refuseMissingWorkspace(
  command: string,
  { app, workspace }: WorkspaceOption & { app: CliApp },
): Promise<void> {
  if (workspace === undefined || NEED_NONE.has(command)) return;
  const path = await app.missingWorkspace(workspace);
  if (path === undefined) return;
  if (LOOK_BACK.has(command) && await hasHistory(app, workspace)) return;
  throw new CommandFailure(
    // A service manager tries this again, unlike a wrong command line: a disk may come later.
    command === "start" ? EXIT.failed : EXIT.usage,
    `There is no folder ${toOneLine(path)} to work in. ` +
      'Name another with --workspace, or make it: "inkling new" with this --workspace does',
  );
}

/** Whether a service was ever there: then the folder is gone, and no mistake in typing. */
async function hasHistory(app: CliApp, workspace: string): Promise<boolean> {
  const { stateDir } = await app.places(workspace);
  try {
    return (await Deno.stat(stateDir)).isDirectory;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
