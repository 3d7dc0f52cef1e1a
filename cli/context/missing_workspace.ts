// Checks that the folder of --workspace exists before a command runs. Without the check, a mistyped path would look like an
// empty workspace, or start a service for a folder that does not exist.
import type { CliApp, WorkspaceOption } from "./app.ts";
import { CommandFailure, EXIT, type ExitCode } from "./exit.ts";
import { toOneLine } from "../output/sanitize.ts";
import { ignoreMissing } from "../../base/files/missing.ts";

/**
 * The commands that this check skips: commands that create the folder or do not need it, and `start`, which does the check
 * itself because its exit code differs.
 */
const NOT_REFUSED: ReadonlySet<string> = new Set([
  ...["setup", "new"],
  ...["help", "completions", "complete"],
  "start",
]);
/**
 * The commands that read the history or the service, and therefore also work if the workspace folder was deleted. In this
 * case, `respond` works only while the workspace's service runs.
 */
const LOOK_BACK: ReadonlySet<string> = new Set([
  ...["stop", "status", "logs", "watch", "cancel"],
  ...["pending", "respond", "checkpoint"],
]);

/** Throws CommandFailure if the folder of --workspace does not exist and the command needs it. */
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

/** Returns the error about a workspace folder that does not exist. */
export function missingWorkspace(path: string, exitCode: ExitCode): CommandFailure {
  return new CommandFailure(
    exitCode,
    `The workspace ${toOneLine(path)} does not exist. ` +
      'Pass another --workspace, or create this one: run "inkling new" with the same --workspace',
  );
}

/** Returns the absolute path of --workspace if the folder does not exist, otherwise undefined. */
export async function findGoneWorkspace(
  { app, workspace }: WorkspaceOption & { app: CliApp },
): Promise<string | undefined> {
  return workspace === undefined ? undefined : await app.missingWorkspace(workspace);
}

/**
 * Returns whether the workspace has a state folder. If so, the workspace existed and was deleted; otherwise its path was
 * mistyped.
 */
async function hasHistory(app: CliApp, workspace: string): Promise<boolean> {
  const { stateDir } = await app.places(workspace);
  return (await Deno.stat(stateDir).catch(ignoreMissing))?.isDirectory ?? false;
}
