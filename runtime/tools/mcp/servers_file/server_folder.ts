// Where the program of a server starts unless its entry names a folder: in one of its own, which no agent can write.
import { join } from "node:path";
import { toFunctionName } from "../tool_names.ts";

/**
 * The folder of a server's program in the state directory. Decision: neither the workspace nor a folder in it, because
 * interpreters and package runners take what they run from the folder that they start in and from those above it, and
 * agents write there (rejected: the folder of mcp-servers.json, which lies in the workspace, and beside the keys' file).
 */
export function serverFolder(stateDir: string, server: string): string {
  return join(stateDir, "mcp", toFunctionName(server));
}
