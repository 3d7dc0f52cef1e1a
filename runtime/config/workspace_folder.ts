// Whether there is a workspace to work in. One look; nothing is made.
import { PATHS } from "../../base/plain_path.ts";
import type { Config } from "./config.ts";
import { expandHome } from "./places.ts";
import { isMissing } from "../../base/files/missing.ts";

const { resolve } = PATHS;

/** The absolute path of a workspace that is not a folder; undefined: it is one, or nobody may look. `~` is expanded. */
export async function findMissingWorkspace(
  workspace: string,
  { home }: { home: string },
): Promise<string | undefined> {
  const path = resolve(expandHome(workspace, home));
  try {
    return (await Deno.stat(path)).isDirectory ? undefined : path;
  } catch (error) {
    // Whoever needs the folder reports why it cannot be looked at.
    return isMissing(error) ? path : undefined;
  }
}

/** What to do about a workspace of config.yaml that is not there. */
export function missingWorkspaceHint({ path }: Pick<Config, "path">): string {
  return `make the folder, or name another in ${path}`;
}
