// Reads the heads of mails in a folder.
import type { ImapFlow, MailboxObject } from "imapflow";
import type { MailAccount } from "../config/mail_schema.ts";
import type { ImapConnection } from "./imap_connection.ts";
import { MailError } from "./mail_error.ts";
import { type MailHead, readHead } from "./read_mail.ts";

/** A mail in a folder, of which only the head was read. */
export interface FoundMail {
  account: MailAccount;
  folder: string;
  uidValidity: number;
  uid: number;
  /** The time at which it arrived, in milliseconds since the epoch. */
  arrivedAt: number;
  bytes: number;
  isSeen: boolean;
  head: MailHead;
  /** Returns the whole source. Throws MailError. */
  readSource: () => Promise<Uint8Array>;
}

/** Returns the open folder. Throws MailError if none is open. */
export function requireMailbox(client: ImapFlow): MailboxObject {
  if (client.mailbox === false) throw new MailError("unreachable", "The folder was closed");
  return client.mailbox;
}

/** Returns the UIDVALIDITY of the open folder. */
export function uidValidityOf(client: ImapFlow): number {
  return Number(requireMailbox(client).uidValidity);
}

/** Reads the heads of mails in the open folder, in the order of their UIDs. */
export async function fetchMails(
  client: ImapFlow,
  { connection, folder, uids }: { connection: ImapConnection; folder: string; uids: number[] },
): Promise<FoundMail[]> {
  if (uids.length === 0) return [];
  const uidValidity = uidValidityOf(client);
  const query = { uid: true, size: true, internalDate: true, headers: true, flags: true };
  const messages = await client.fetchAll(uids, query, { uid: true });
  return await Promise.all(
    messages.sort((a, b) => a.uid - b.uid).map(async (message) => ({
      ...{ account: connection.account, folder, uidValidity, uid: message.uid },
      arrivedAt: Number(new Date(message.internalDate ?? 0)),
      bytes: message.size ?? 0,
      isSeen: message.flags?.has("\\Seen") ?? false,
      head: await readHead(message.headers ?? new Uint8Array()),
      readSource: () =>
        connection.inFolder(folder, async (client) => {
          const whole = await client.fetchOne(`${message.uid}`, { source: true }, { uid: true });
          if (whole !== false && whole.source !== undefined) return whole.source;
          throw new MailError("gone", "The mail is no longer in its folder");
        }),
    })),
  );
}
