// Finds the remote MCP servers and the mail accounts of a workspace to which a person or a client can sign in.
import type { MailAccount } from "../../../config/mail_schema.ts";
import type { WorkspaceSettings } from "../../../config/settings.ts";
import { resolveOAuth, type ServerOAuth } from "../servers_file/declared_oauth.ts";
import { resolveServer } from "../servers_file/resolve_server.ts";
import { ServersFile } from "../servers_file/servers_file.ts";
import { mailAccountOf } from "../../../vocabulary/sign_in_names.ts";
import { SignInFailure } from "./sign_in_needed.ts";

/** A server with a sign-in. `hasHeaders` is true if its entry has headers, one of which may replace the sign-in. */
export interface SignInServer {
  url: string;
  oauth: ServerOAuth;
  hasHeaders: boolean;
  /**
   * The authorization server of a mail account, and parameters of the address that the browser opens. Undefined for an MCP
   * server, which names its authorization server itself.
   */
  given?: { issuer: string; parameters: Readonly<Record<string, string>> } | undefined;
}

/**
 * Returns the servers of mcp-servers.json by name, or the reason for which a server has no sign-in, as a clause. Throws
 * SignInFailure if the file is not valid.
 */
export function readSignInServers(
  settings: WorkspaceSettings,
): Map<string, SignInServer | { problem: string }> {
  const content = new ServersFile(settings.directories.mcpServersFile).read();
  if ("problem" in content) {
    if (content.isMissing === true) return new Map();
    throw new SignInFailure(content.problem);
  }
  return new Map([...content.servers].map(([name, entry]) => {
    const resolved = resolveServer(name, entry, settings);
    if ("problem" in resolved) return [name, { problem: `it cannot be used: ${resolved.problem}` }];
    if (resolved.kind === "program") {
      return [name, { problem: "it is a program, so it has no sign-in here" }];
    }
    const { url, oauth, headers } = resolved;
    const problem = "it has the header Authorization in its entry: remove it to sign in instead";
    const hasHeaders = Object.keys(headers).length > 0;
    return [name, oauth === undefined ? { problem } : { url, oauth, hasHeaders }];
  }));
}

/** Error: a person named a server or a mail account that does not exist. */
export class UnknownSignIn extends SignInFailure {}

/** Returns a server of mcp-servers.json, or a mail account. Throws SignInFailure if it is unusable or has no sign-in. */
export function findSignInServer(name: string, settings: WorkspaceSettings): SignInServer {
  const account = mailAccountOf(name);
  if (account !== undefined) {
    const mail = settings.config.mail.find((one) => one.name === account);
    if (mail !== undefined) return findMailSignIn(mail, settings);
    throw new UnknownSignIn(`config.yaml has no mail account ${JSON.stringify(account)}`);
  }
  const found = readSignInServers(settings).get(name);
  if (found === undefined) {
    const { mcpServersFile } = settings.directories;
    throw new UnknownSignIn(`${mcpServersFile} has no server ${JSON.stringify(name)}`);
  }
  if ("problem" in found) throw new SignInFailure(found.problem);
  return found;
}

/** Returns the sign-in of a mail account. Throws SignInFailure if the account has none, or its client's secret is missing. */
export function findMailSignIn(
  { name, user, imap, smtp, oauth: declared }: MailAccount,
  { environment }: Pick<WorkspaceSettings, "environment">,
): SignInServer {
  if (declared === undefined) throw new SignInFailure(`mail.${name} in config.yaml has no oauth`);
  const { issuer, clientId, clientSecretEnv, scopes, prompt } = declared;
  const resolved = resolveOAuth({
    grant: "authorization_code",
    client_id: clientId,
    ...(clientSecretEnv !== undefined && { client_secret_env: clientSecretEnv }),
    ...(scopes !== undefined && { scopes: [...scopes] }),
  }, (variable) => environment.get(variable));
  if ("problem" in resolved) throw new SignInFailure(resolved.problem);
  const places = [imap, smtp].map(({ host, port }) => `${host}:${port}`).join(",");
  return {
    // A changed server must not get the token of the former one.
    url: `${issuer}#${places}`,
    oauth: resolved.oauth,
    hasHeaders: false,
    given: {
      issuer,
      parameters: { access_type: "offline", login_hint: user, ...(prompt && { prompt }) },
    },
  };
}
