// A workspace flag that does not name a folder: refused, before a command checks nothing or leaves a service behind.
import type { CliApp, WorkspaceOption } from "./app.ts";
import { CommandFailure, EXIT, type ExitCode } from "./exit.ts";
import { toOneLine } from "./output/sanitise.ts";
import { ignoreMissing } from "../base/files/missing.ts";

/** Commands that make the folder, those that need none, and `start`, whose refusal depends on its options. */
const NOT_REFUSED: ReadonlySet<string> = new Set([
  ...["setup", "new"],
  ...["help", "completions", "complete"],
  "start",
]);
/** Commands about what ran, and what waits: they also serve a workspace that is gone; `respond` only while its service runs. */
const LOOK_BACK: ReadonlySet<string> = new Set([
  ...["stop", "status", "logs", "watch", "cancel"],
  ...["pending", "respond", "checkpoint"],
]);

/** Throws CommandFailure for a command whose workspace was named and is not a folder. */
export async function refuseMissingWorkspace(
  command: string,
  { app, workspace }: WorkspaceOption & { app: CliApp },
): Promise<void> {
  if (workspace === undefined || NOT_REFUSED.has(command)) return;
  const path = await findGoneWorkspace({ app, workspace });
  if (path === undefined) return;
  if (LOOK_BACK.has(command) && await hasHistory(app, workspace)) return;
  throw missingWorkspace(path, EXIT.usage);
}

/** The refusal to work in a folder that is not there. */
export function missingWorkspace(path: string, exitCode: ExitCode): CommandFailure {
  return new CommandFailure(
    exitCode,
    `There is no folder ${toOneLine(path)} to work in. ` +
      'Name another with --workspace, or make it: "inkling new" with this --workspace does',
  );
}

/** The path of the workspace that was named, where no folder is there; undefined: it is there, or none was named. */
export async function findGoneWorkspace(
  { app, workspace }: WorkspaceOption & { app: CliApp },
): Promise<string | undefined> {
  return workspace === undefined ? undefined : await app.missingWorkspace(workspace);
}

/** Whether a service was ever there: then the folder is gone, and not mistyped. */
async function hasHistory(app: CliApp, workspace: string): Promise<boolean> {
  const { stateDir } = await app.places(workspace);
  return (await Deno.stat(stateDir).catch(ignoreMissing))?.isDirectory ?? false;
}
