// What `mcp` needs of the program around it (see CliApp), as the runtime declares it.
import type { ServerInstaller as WholeInstaller } from "../../runtime/authoring/install/server_installer.ts";

export type { BroughtServer } from "../../runtime/authoring/install/server_installer.ts";
/** Brings servers, to be shown before they are added. */
export type ServerInstaller = Pick<WholeInstaller, "bring">;
