// Finds the remote MCP servers of a workspace to which a person or a client can sign in.
import type { WorkspaceSettings } from "../../../config/settings.ts";
import type { ServerOAuth } from "../servers_file/declared_oauth.ts";
import { resolveServer } from "../servers_file/resolve_server.ts";
import { ServersFile } from "../servers_file/servers_file.ts";
import { SignInFailure } from "./sign_in_needed.ts";

/** A server with a sign-in. `hasHeaders` is true if its entry has headers, one of which may replace the sign-in. */
export interface SignInServer {
  url: string;
  oauth: ServerOAuth;
  hasHeaders: boolean;
}

/**
 * Returns the servers of mcp-servers.json by name, or the reason for which a server has no sign-in, as a clause. Throws
 * SignInFailure if the file is not valid.
 */
export async function readSignInServers(
  { directories: { mcpServersFile, workspace }, environment }: WorkspaceSettings,
): Promise<Map<string, SignInServer | { problem: string }>> {
  const content = await new ServersFile(mcpServersFile).read();
  if ("problem" in content) throw new SignInFailure(content.problem);
  const lookup = (variable: string) => environment.get(variable);
  return new Map([...content.servers].map(([name, entry]) => {
    const resolved = "problem" in entry
      ? entry
      : resolveServer(entry, { lookup, workspace, ownFolder: workspace });
    if ("problem" in resolved) return [name, { problem: `it cannot be used: ${resolved.problem}` }];
    const { definition } = resolved;
    if (definition.kind === "program") {
      return [name, { problem: "it is a program, so it has no sign-in here" }];
    }
    const { url, oauth, headers } = definition;
    const problem = "it has the header Authorization in its entry: remove it to sign in instead";
    const hasHeaders = Object.keys(headers).length > 0;
    return [name, oauth === undefined ? { problem } : { url, oauth, hasHeaders }];
  }));
}

/** Returns a server of mcp-servers.json. Throws SignInFailure if it is unusable or has no sign-in. */
export async function findSignInServer(
  name: string,
  settings: WorkspaceSettings,
): Promise<SignInServer> {
  const found = (await readSignInServers(settings)).get(name) ??
    { problem: `${settings.directories.mcpServersFile} has no server ${JSON.stringify(name)}` };
  if ("problem" in found) throw new SignInFailure(found.problem);
  return found;
}
