// What `mcp` needs of the program around it (see CliApp), as the runtime declares it.
import type { ServerInstaller as WholeInstaller } from "../../ops/install/server_installer.ts";

export type { ListedServer, PreparedServer } from "../../ops/install/server_installer.ts";
/** The servers of a workspace: brought, to be shown before they are added; listed; removed. */
export type ServerInstaller = Pick<WholeInstaller, "prepare" | "list" | "remove">;
