// The types of the MCP server installer that `mcp` uses.
import type { ServerInstaller as WholeInstaller } from "../../ops/install/server_installer.ts";

export type { ListedServer, PreparedServer } from "../../ops/install/server_installer.ts";
/** Prepares, lists and removes the MCP servers of a workspace. */
export type ServerInstaller = Pick<WholeInstaller, "prepare" | "list" | "remove">;
