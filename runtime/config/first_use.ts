// Checks if Inkling is used for the first time. Only checks if two paths exist, because commands call it at their start.
import { exists } from "./files/exists.ts";
import { expandHome, type ReadVariable, resolveConfigDir } from "./places.ts";
import { join, resolve } from "../../base/plain_path.ts";

/**
 * Returns true if config.yaml or an agents folder exists. Without config.yaml, the agents folder is that of the default
 * workspace.
 */
export async function isSetUp(options: {
  env: ReadVariable;
  home: string;
  workspace?: string;
}): Promise<boolean> {
  const { env, home, workspace = "~/inkling" } = options;
  return await exists(join(resolveConfigDir(env, home), "config.yaml")) ||
    await exists(join(resolve(expandHome(workspace, home)), "agents"));
}
