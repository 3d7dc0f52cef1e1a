// Opens the mail triggers of a service. Loaded when an agent has a mail trigger.
import type { Database } from "../../database/database.ts";
import type { MailAccounts } from "../../mail/mail_accounts.ts";
import { SqlMailStore } from "./mail_store.ts";
import { MailTriggers, type MailTriggersPorts } from "./mail_triggers.ts";

/** Creates the mail triggers of a service. No mail is read before start(). */
export async function openMailTriggers(
  { db, openMail, ...ports }: Omit<MailTriggersPorts, "store" | "accounts"> & {
    db: Database;
    openMail: () => Promise<MailAccounts>;
  },
): Promise<MailTriggers> {
  return new MailTriggers({ ...ports, store: new SqlMailStore(db), accounts: await openMail() });
}
