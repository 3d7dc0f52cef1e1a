// Checks for the workspace folder. Creates nothing.
import { PATHS } from "../../base/plain_path.ts";
import type { Config } from "./config.ts";
import { expandHome } from "./places.ts";
import { isMissing } from "../../base/files/missing.ts";

const { resolve } = PATHS;

/**
 * Returns the absolute path of a workspace that is not a folder; undefined when it is one, or cannot be checked.
 * Expands `~`.
 */
export async function findMissingWorkspace(
  workspace: string,
  { home }: { home: string },
): Promise<string | undefined> {
  const path = resolve(expandHome(workspace, home));
  try {
    return (await Deno.stat(path)).isDirectory ? undefined : path;
  } catch (error) {
    // The code that needs the folder reports the error.
    return isMissing(error) ? path : undefined;
  }
}

/** Returns the remedy for a missing workspace of config.yaml. */
export function missingWorkspaceHint({ path }: Pick<Config, "path">): string {
  return `make the folder, or name another in ${path}`;
}
