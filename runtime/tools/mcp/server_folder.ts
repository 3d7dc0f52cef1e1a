// Returns the working folder of a server's program without `cwd`. No agent can write to it.
import { join } from "../../../base/plain_path.ts";
import { toFunctionName } from "./listing/tool_names.ts";

/**
 * Returns the folder of a server's program in the state folder.
 *
 * Decision: the folder is outside of the workspace, because agents write there, and interpreters and package runners load
 * code from the working folder and its parents (rejected: the folder of mcp-servers.json, which is in the workspace, beside
 * the file with the keys).
 */
export function serverFolder(stateDir: string, server: string): string {
  return join(stateDir, "mcp", toFunctionName(server));
}
