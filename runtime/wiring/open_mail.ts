// Opens the mail accounts of a process when they are first used, with the stored sign-ins of those with OAuth.
import type { Clock } from "../../base/clock.ts";
import { lazyModule } from "../../base/lazy_module.ts";
import type { MailAccount } from "../config/mail_schema.ts";
import type { WorkspaceSettings } from "../config/settings.ts";
import type { Database } from "../database/database.ts";
import type { MailAccounts } from "../mail/mail_accounts.ts";
import { MailError } from "../mail/mail_error.ts";
import type { ServiceLog } from "../service_log/service_log.ts";
import { commandOf, SignInFailure, SignInNeeded } from "../tools/mcp/sign_in/sign_in_needed.ts";
import { signInNameOf } from "../vocabulary/sign_in_names.ts";
import { TokenSecrets } from "../tools/mcp/sign_in/token_secrets.ts";

const loadAccounts = lazyModule(() => import("../mail/mail_accounts.ts"));
const loadCredentials = lazyModule(() => import("../storage/open_credentials.ts"));
const loadTokens = lazyModule(() => import("../tools/mcp/sign_in/server_tokens.ts"));
const loadSignIns = lazyModule(() => import("../tools/mcp/sign_in/sign_in_servers.ts"));

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

/** Returns a function that opens the accounts at its first call. `resources` closes their connections. */
export function mailOpener(
  options: MailOptions & { resources: AsyncDisposableStack },
): () => Promise<MailAccounts> {
  const { settings, clock, resources } = options;
  let opened: MailAccounts | undefined;
  return async () => {
    const { MailAccounts } = await loadAccounts();
    return opened ??= resources.use(
      new MailAccounts({
        accounts: () => settings.config.mail,
        environment: settings.environment,
        accessToken: (account, refused) => readAccessToken(account, { ...options, refused }),
        clock,
      }),
    );
  };
}

/** Returns the stored token of an account, renewed if it is about to end or was refused. Throws MailError. */
async function readAccessToken(
  account: MailAccount,
  { settings, clock, log = { write() {} }, tokenSecrets = new TokenSecrets(), db, refused }:
    & MailOptions
    & { refused: string | undefined },
): Promise<string> {
  const [{ openCredentials }, { ServerTokens }, { findMailSignIn }] = await Promise.all([
    loadCredentials(),
    loadTokens(),
    loadSignIns(),
  ]);
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
