// Whether anything is set up. Looks at two names and reads nothing: commands ask before they begin.
import { exists } from "./files/exists.ts";
import { expandHome, type ReadVariable, resolveConfigDir } from "./places.ts";
import { PATHS } from "../../base/plain_path.ts";

const { join, resolve } = PATHS;

/** Whether there is a config.yaml, or an agents folder in the workspace (default: the one of an absent config.yaml). */
export async function isSetUp(options: {
  env: ReadVariable;
  home: string;
  workspace?: string;
}): Promise<boolean> {
  const { env, home, workspace = "~/inkling" } = options;
  return await exists(join(resolveConfigDir(env, home), "config.yaml")) ||
    await exists(join(resolve(expandHome(workspace, home)), "agents"));
}
