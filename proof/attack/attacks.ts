// Lists all attacks in the order of their execution.
import type { Attack } from "./attack.ts";
import { foreignPrograms } from "./foreign_programs.ts";
import { hiddenCommands } from "./hidden_commands.ts";
import { hostileImports } from "./hostile_imports.ts";
import { hostilePrograms } from "./hostile_programs.ts";
import { largeWatch } from "./large_watch.ts";
import { linkedFiles } from "./linked_files.ts";
import { endlessServers, redirectedSecrets } from "./mcp_servers.ts";
import { loginCookie } from "./login_cookie.ts";
import { silentConnections } from "./silent_connections.ts";
import { silentFollowers } from "./silent_followers.ts";
import { endlessReplies, redirectedKeys } from "./model_endpoints.ts";
import { swappedFolders } from "./swapped_folders.ts";
import { toolSchemas } from "./tool_schemas.ts";
import { uiToken } from "./ui_token.ts";

/** All attacks: of hostile neighbors, files, programs, endpoints and clients. */
export const ATTACKS: readonly Attack[] = [
  swappedFolders,
  linkedFiles,
  silentConnections,
  silentFollowers,
  redirectedKeys,
  endlessReplies,
  redirectedSecrets,
  endlessServers,
  toolSchemas,
  uiToken,
  loginCookie,
  foreignPrograms,
  largeWatch,
  hostileImports,
  hostilePrograms,
  hiddenCommands,
];
