// Opens the mail accounts of a process when they are first used.
import type { Clock } from "../../base/clock.ts";
import { lazyModule } from "../../base/lazy_module.ts";
import type { WorkspaceSettings } from "../config/settings.ts";
import type { MailAccounts } from "./mail_accounts.ts";

const loadAccounts = lazyModule(() => import("./mail_accounts.ts"));

/** Returns a function that opens the accounts at its first call. `resources` closes their connections. */
export function mailOpener(
  { settings, clock, resources }: {
    settings: Pick<WorkspaceSettings, "config" | "environment">;
    clock: Clock;
    resources: AsyncDisposableStack;
  },
): () => Promise<MailAccounts> {
  let opened: MailAccounts | undefined;
  return async () => {
    const { MailAccounts } = await loadAccounts();
    return opened ??= resources.use(
      new MailAccounts({
        accounts: () => settings.config.mail,
        environment: settings.environment,
        clock,
      }),
    );
  };
}
