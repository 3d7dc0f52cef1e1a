// Checks if the workspace and config.yaml exist. Creates nothing, and only checks paths, because commands call it at their
// start.
import { join, resolve } from "../../base/plain_path.ts";
import type { Config } from "./config.ts";
import { exists } from "./files/exists.ts";
import { expandHome, type ReadVariable, resolveConfigDir } from "./places.ts";
import { isMissing } from "../../base/files/missing.ts";

/**
 * Returns the absolute path of a workspace that is missing or is not a folder. Returns undefined if it is a folder, or
 * cannot be checked. Expands `~`.
 */
export async function findMissingWorkspace(
  workspace: string,
  { home }: { home: string },
): Promise<string | undefined> {
  const path = resolve(expandHome(workspace, home));
  try {
    return (await Deno.stat(path)).isDirectory ? undefined : path;
  } catch (error) {
    // If the path cannot be checked, the code that needs the folder reports the error.
    return isMissing(error) ? path : undefined;
  }
}

/** Returns the remedy for a workspace of config.yaml that is missing. */
export function missingWorkspaceHint({ path }: Pick<Config, "path">): string {
  return `create the folder, or name another folder in ${path}`;
}

/**
 * Returns true if config.yaml or an agents folder exists. Without config.yaml, the agents folder is that of the default
 * workspace.
 */
export async function isSetUp(options: {
  env: ReadVariable;
  home: string;
  workspace?: string | undefined;
}): Promise<boolean> {
  const { env, home, workspace = "~/inkling" } = options;
  return await exists(join(resolveConfigDir(env, home), "config.yaml")) ||
    await exists(join(resolve(expandHome(workspace, home)), "agents"));
}
