// Checks for a first use of Inkling. Reads two names and no content, because commands call it at their start.
import { exists } from "./files/exists.ts";
import { expandHome, type ReadVariable, resolveConfigDir } from "./places.ts";
import { PATHS } from "../../base/plain_path.ts";

const { join, resolve } = PATHS;

/** Returns true when a config.yaml or an agents folder exists. The default workspace is that of an absent config.yaml. */
export async function isSetUp(options: {
  env: ReadVariable;
  home: string;
  workspace?: string;
}): Promise<boolean> {
  const { env, home, workspace = "~/inkling" } = options;
  return await exists(join(resolveConfigDir(env, home), "config.yaml")) ||
    await exists(join(resolve(expandHome(workspace, home)), "agents"));
}
