// Finds mails and folders in an account, and adds mails to folders.
import { Buffer } from "node:buffer";
import type { ImapFlow } from "imapflow";
import { fetchMails, type FoundMail, uidValidityOf } from "../../mail/found_mail.ts";
import type { ImapConnection } from "../../mail/imap_connection.ts";
import { MailError } from "../../mail/mail_error.ts";
import { ToolFailure } from "../failures/tool_failure.ts";

/** The maximum number of folders that are searched for a Message-ID. */
const MAX_FOLDERS = 100;

/** Returns the id by which agents name a mail: UIDVALIDITY, UID and folder. */
export function mailIdOf({ uidValidity, uid, folder }: Omit<MailPlace, "account">): string {
  return `${uidValidity}.${uid}/${folder}`;
}

type MailPlace = Pick<FoundMail, "uidValidity" | "uid" | "folder">;

/** Finds a mail by its id, or by its Message-ID in any folder. Throws ToolFailure if it is not there, and MailError. */
export async function findMail(connection: ImapConnection, id: string): Promise<FoundMail> {
  const [, validity, digits, named] = /^(\d{1,10})\.(\d{1,10})\/(.+)$/.exec(id) ?? [];
  const isMessageId = /^<[^<>\s]{1,500}>$/.test(id);
  if (named === undefined && !isMessageId) {
    throw new ToolFailure(
      `${JSON.stringify(id)} is no id of mail_search, and no Message-ID in angle brackets.`,
    );
  }
  for (const folder of named === undefined ? await listFolders(connection) : [named]) {
    const found = await connection.inFolder(folder, async (client) => {
      const isSame = named === undefined || Number(validity) === uidValidityOf(client);
      const uids = named === undefined ? await findMessageId(client, id) : [Number(digits)];
      return isSame ? await fetchMails(client, { connection, folder, uids }) : [];
    });
    const [mail] = found;
    if (mail !== undefined) return mail;
  }
  throw new ToolFailure("There is no such mail any more: somebody has moved or removed it.");
}

/** Returns the UIDs of the mails in the open folder that have a Message-ID. */
export async function findMessageId(client: ImapFlow, messageId: string): Promise<number[]> {
  return await client.search({ header: { "Message-ID": messageId } }, { uid: true }) || [];
}

async function listFolders(connection: ImapConnection): Promise<string[]> {
  const all = await connection.use((client) => client.list({ listOnly: true }));
  const paths = all.filter(({ flags }) => !flags.has("\\Noselect")).map(({ path }) => path);
  // Most mails are in the inbox, and a folder of all mails has every other one.
  const rank = (path: string) =>
    path === "INBOX"
      ? 0
      : all.some((one) => one.path === path && one.specialUse === "\\All")
      ? 1
      : 2;
  return paths.sort((a, b) => rank(a) - rank(b)).slice(0, MAX_FOLDERS);
}

/** Returns the folder of sent mails or of drafts. Undefined if the account has none. */
export async function findFolder(
  client: ImapFlow,
  use: "\\Sent" | "\\Drafts",
): Promise<string | undefined> {
  return (await client.list()).find(({ specialUse }) => specialUse === use)?.path;
}

/** Adds a mail to a folder. Returns its id if the server names it. Throws MailError. */
export async function addMail(
  client: ImapFlow,
  folder: string,
  { source, flags }: { source: Uint8Array; flags: string[] },
): Promise<string | undefined> {
  const added = await client.append(folder, Buffer.from(source), flags);
  if (added === false) {
    throw new MailError("refused", `The server does not add the mail to ${JSON.stringify(folder)}`);
  }
  const { uidValidity, uid } = added;
  if (uidValidity === undefined || uid === undefined) return undefined;
  return mailIdOf({ uidValidity: Number(uidValidity), uid, folder });
}
