// Reads the stored token of a mail account with OAuth, and renews it.
import type { Clock } from "../../base/clock.ts";
import type { MailAccount } from "../config/mail_schema.ts";
import type { WorkspaceSettings } from "../config/settings.ts";
import type { Database } from "../database/database.ts";
import { MailError } from "../mail/mail_error.ts";
import type { ServiceLog } from "../service_log/service_log.ts";
import { openCredentials } from "../storage/open_credentials.ts";
import { commandOf, SignInFailure, SignInNeeded } from "../tools/mcp/sign_in/sign_in_needed.ts";
import { ServerTokens } from "../tools/mcp/sign_in/server_tokens.ts";
import { findMailSignIn } from "../tools/mcp/sign_in/sign_in_servers.ts";
import { TokenSecrets } from "../tools/mcp/sign_in/token_secrets.ts";
import { signInNameOf } from "../vocabulary/sign_in_names.ts";

/** The workspace, and the parts of the process that the sign-ins use. */
export interface MailOptions {
  settings: Pick<WorkspaceSettings, "config" | "environment" | "database" | "directories">;
  clock: Clock;
  log?: ServiceLog;
  /** Receives the tokens, which are redacted. */
  tokenSecrets?: TokenSecrets;
  /** The opened database. Absent: a shared database is opened for each token. */
  db?: Database;
}

/** Returns the stored token of an account, renewed if it is about to end or was refused. Throws MailError. */
export async function readAccessToken(
  account: MailAccount,
  { settings, clock, log = { write() {} }, tokenSecrets = new TokenSecrets(), db, refused }:
    & MailOptions
    & { refused: string | undefined },
): Promise<string> {
  await using resources = new AsyncDisposableStack();
  const name = signInNameOf(account.name);
  try {
    const { url, oauth } = findMailSignIn(account, settings);
    const store = { settings, clock, secrets: tokenSecrets, resources, ...(db && { db }) };
    const credentials = await openCredentials(store);
    const tokens = new ServerTokens({ name, url, oauth, headers: {} }, { credentials, clock, log });
    return await tokens.get(refused);
  } catch (error) {
    if (error instanceof SignInNeeded) {
      const problem = `The mail account ${account.name} needs a sign-in`;
      const remedy = `Sign in: ${commandOf("login", name)}`;
      throw new MailError("password", problem, { remedy, cause: error });
    }
    if (!(error instanceof SignInFailure)) throw error;
    const problem = `The mail account ${account.name} gets no token: ${error.message}`;
    throw new MailError("unreachable", problem, { cause: error });
  }
}
