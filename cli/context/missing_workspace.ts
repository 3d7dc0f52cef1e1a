// The check of --workspace. It runs before the command, so that no command works with an empty workspace or starts a
// service for one.
import type { CliApp, WorkspaceOption } from "./app.ts";
import { CommandFailure, EXIT, type ExitCode } from "./exit.ts";
import { toOneLine } from "../output/sanitize.ts";
import { ignoreMissing } from "../../base/files/missing.ts";

/** Commands that create the folder or do not need it, and `start`, which checks it with its own exit code. */
const NOT_REFUSED: ReadonlySet<string> = new Set([
  ...["setup", "new"],
  ...["help", "completions", "complete"],
  "start",
]);
/** Commands about history. They also work for a deleted workspace; `respond` only while its service runs. */
const LOOK_BACK: ReadonlySet<string> = new Set([
  ...["stop", "status", "logs", "watch", "cancel"],
  ...["pending", "respond", "checkpoint"],
]);

/** Throws CommandFailure if --workspace is not a folder and the command needs it. */
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

/** Returns the error for a workspace that does not exist. */
export function missingWorkspace(path: string, exitCode: ExitCode): CommandFailure {
  return new CommandFailure(
    exitCode,
    `The workspace ${toOneLine(path)} does not exist. ` +
      'Pass another --workspace, or create this one: run "inkling new" with the same --workspace',
  );
}

/** Returns the path of --workspace if that folder does not exist, otherwise undefined. */
export async function findGoneWorkspace(
  { app, workspace }: WorkspaceOption & { app: CliApp },
): Promise<string | undefined> {
  return workspace === undefined ? undefined : await app.missingWorkspace(workspace);
}

/** Returns whether the workspace has a state folder: it was deleted, not mistyped. */
async function hasHistory(app: CliApp, workspace: string): Promise<boolean> {
  const { stateDir } = await app.places(workspace);
  return (await Deno.stat(stateDir).catch(ignoreMissing))?.isDirectory ?? false;
}
