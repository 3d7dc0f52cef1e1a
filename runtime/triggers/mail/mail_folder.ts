// Reads the heads of the mails in a folder, and marks or moves mails.
import type { ImapFlow } from "imapflow";
import type { Trigger } from "../../agents/agent.ts";
import { fetchMails, type FoundMail } from "../../mail/found_mail.ts";
import type { ImapConnection } from "../../mail/imap_connection.ts";
import type { ServiceLog } from "../../service_log/service_log.ts";

/** The maximum number of mails whose heads are read at a time. */
export const HEADS_AT_ONCE = 20;

/** Returns the UID of the newest mail, or of the mail before the first one that arrived after `since`. 0: there is none. */
export async function findNewest(
  client: ImapFlow,
  { uidNext, since }: { uidNext: number; since: number | undefined },
): Promise<number> {
  if (since !== undefined) {
    // A search counts whole days, so the times of the found mails are compared, too.
    const uids = await client.search({ since: new Date(since) }, { uid: true }) || [];
    const found = uids.length === 0
      ? []
      : await client.fetchAll(uids, { uid: true, internalDate: true }, { uid: true });
    const recent = found.filter(({ internalDate }) => Number(new Date(internalDate ?? 0)) >= since);
    if (recent.length > 0) return Math.min(...recent.map(({ uid }) => uid)) - 1;
  }
  // The mailbox may have grown since it was opened.
  const newest = await client.search({ uid: `${uidNext || 1}:*` }, { uid: true }) || [];
  return Math.max(uidNext - 1, ...newest);
}

/** Reads the heads of the first mails after a UID. */
export async function fetchHeads(
  client: ImapFlow,
  { connection, folder, lastUid }: { connection: ImapConnection; folder: string; lastUid: number },
): Promise<FoundMail[]> {
  // The range n:* always contains the newest mail, even one before n.
  const found = await client.search({ uid: `${lastUid + 1}:*` }, { uid: true }) || [];
  const uids = found.filter((uid) => uid > lastUid).sort((a, b) => a - b).slice(0, HEADS_AT_ONCE);
  return await fetchMails(client, { connection, folder, uids });
}

/** Marks or moves a mail after its runs were accepted. A mail that is no longer there is ignored. */
export async function finishMail(
  connection: ImapConnection,
  { mail: { folder, uid }, then, log }: {
    mail: FoundMail;
    then: Trigger<"mail">["then"];
    log: ServiceLog;
  },
): Promise<void> {
  await connection.inFolder(folder, async (client) => {
    if (then === "seen") await client.messageFlagsAdd(`${uid}`, ["\\Seen"], { uid: true });
    if (typeof then !== "object") return;
    const { move: target } = then;
    if (await client.messageMove(`${uid}`, target, { uid: true }) === false) {
      const fields = { account: connection.account.name, uid, target };
      log.write("warn", "A mail was not moved: does the folder exist?", fields);
    }
  });
}
