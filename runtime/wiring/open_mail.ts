// Opens the mail accounts of a process when they are first used, with the stored sign-ins of those with OAuth.
import { lazyModule } from "../../base/lazy_module.ts";
import type { MailAccounts } from "../mail/mail_accounts.ts";
import type { MailOptions } from "./mail_token.ts";

const loadAccounts = lazyModule(() => import("../mail/mail_accounts.ts"));
const loadToken = lazyModule(() => import("./mail_token.ts"));

/** Returns a function that opens the accounts at its first call. `resources` closes their connections. */
export function mailOpener(
  options: MailOptions & { resources: AsyncDisposableStack },
): () => Promise<MailAccounts> {
  let opened: MailAccounts | undefined;
  return async () => {
    const { MailAccounts } = await loadAccounts();
    return opened ??= options.resources.use(
      new MailAccounts({
        ...options,
        accessToken: async (account, refused) => {
          const { readAccessToken } = await loadToken();
          return await readAccessToken(account, { ...options, refused });
        },
      }),
    );
  };
}
