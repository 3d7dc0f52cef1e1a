// Signs in to the servers of each mail account, and reads the name of the server that proves senders.
import type { Clock } from "../../base/clock.ts";
import type { MailAccount } from "../../runtime/config/mail_schema.ts";
import { lazyModule } from "../../base/lazy_module.ts";
import { RuntimeError } from "../../base/errors.ts";
import type { MailAccounts } from "../../runtime/mail/mail_accounts.ts";
import type { MailOptions } from "../../runtime/wiring/mail_token.ts";
import { type Check, type Finding, toRefusalFinding } from "./finding.ts";

const loadMail = lazyModule(() => import("../../runtime/wiring/open_mail.ts"));

/** Returns one check for each mail account. It sends nothing, and changes nothing. */
export function mailChecks(settings: MailOptions["settings"], clock: Clock): Check[] {
  return settings.config.mail.map((account) => async () => {
    const { mailOpener } = await loadMail();
    await using resources = new AsyncDisposableStack();
    const accounts = await mailOpener({ settings, clock, resources })();
    const subject = `mail ${account.name}`;
    const reading = await attempt(subject, () => checkReading(account, accounts));
    const sending = await attempt(subject, async () => {
      await accounts.checkSending(account.name);
      return [];
    });
    // A wrong password or a missing sign-in is reported once.
    const told = new Set(reading.map(({ remedy }) => remedy));
    return [...reading, ...sending.filter(({ remedy }) => !told.has(remedy))];
  });
}

async function attempt(
  subject: string,
  check: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof RuntimeError)) throw error;
    return [toRefusalFinding(error, subject, "see docs/reference/mail.md")];
  }
}

async function checkReading(account: MailAccount, accounts: MailAccounts): Promise<Finding[]> {
  const found = await accounts.findAuthServer(account.name);
  const { name, authServer } = account;
  if (found === undefined || found === authServer?.toLowerCase()) return [];
  return [{
    severity: "warning",
    subject: `mail ${name}`,
    problem: authServer === undefined
      ? "no sender is proven, so mails start only agents with trigger.unproven: true"
      : `auth_server is ${authServer}, but the newest mail was checked by ${found}`,
    remedy: `if ${found} is your provider's server, set auth_server: ${found} in mail.${name}`,
  }];
}
