// Every attack there is, in the order in which they are run.
import type { Attack } from "./attack.ts";
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

/** What a hostile neighbour, file, program, endpoint or client could try. */
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
  largeWatch,
  hostilePrograms,
];
