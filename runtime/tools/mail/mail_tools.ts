// The tools of an agent with a mail account. Loaded with the first such agent; the account is opened with the first call.
import { z } from "zod";
import type { Agent } from "../../agents/agent.ts";
import type { MailUse } from "../../agents/approval/mail_use.ts";
import { fetchMails, type FoundMail, uidValidityOf } from "../../mail/found_mail.ts";
import type { ImapConnection } from "../../mail/imap_connection.ts";
import type { MailAccounts } from "../../mail/mail_accounts.ts";
import { createMessageId } from "../../mail/smtp.ts";
import type { BuiltinToolWith } from "../../vocabulary/builtin_tools.ts";
import { describeEvent, toUntrustedBlock } from "../../vocabulary/untrusted_text.ts";
import { defineTool } from "../definition/define_tool.ts";
import type { ActionTool } from "../definition/tool.ts";
import { ToolFailure } from "../failures/tool_failure.ts";
import { describeMail, readContent, readWhole } from "./mail_content.ts";
import { safeNames } from "./mail_files.ts";
import { addMail, findFolder, findMail, mailIdOf } from "./mail_places.ts";
import { createMailSend } from "./mail_send.ts";
import { DRAFT, toOutgoing } from "./outgoing_mail.ts";

const TIMEOUT_MS = 3 * 60_000;
const MAX_FOUND = 50;

const MAIL_ID = z.string().describe("The id from mail_search, or a Message-ID with its <>");
const day = z.string().refine(
  (text) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)),
  "must be a date such as 2026-01-31",
).optional().describe("YYYY-MM-DD");
const words = z.string().max(200).optional();

/** Creates the mail tools of an agent. `open` opens the accounts. */
export function createMailTools(
  agent: Pick<Agent, "autoApprove"> & { mail: MailUse },
  open: () => Promise<MailAccounts>,
): ActionTool[] {
  const { account } = agent.mail;
  const connect = async () => (await open()).connection(account);
  const tools: Record<BuiltinToolWith<{ field: "mail" }>, ActionTool> = {
    mail_search: createSearch(connect),
    mail_read: createRead(connect),
    mail_draft: createDraft(account, open),
    mail_move: createMove(connect),
    mail_send: createMailSend(agent, open),
  };
  return Object.values(tools);
}

function createSearch(connect: () => Promise<ImapConnection>): ActionTool {
  return defineTool({
    name: "mail_search",
    description:
      "Finds mails in a folder, newest first. Returns id, date, sender and subject. Without other arguments: the newest.",
    schema: z.object({
      folder: z.string().default("INBOX"),
      from: words,
      to: words,
      subject: words,
      text: words.describe("Words in the mail"),
      since: day,
      before: day,
      unread: z.boolean().optional(),
      limit: z.int().min(1).max(MAX_FOUND).default(20),
    }),
    effect: "read",
    timeoutMs: TIMEOUT_MS,
    async run({ folder, limit, unread, ...query }) {
      const connection = await connect();
      const seen = unread === undefined ? {} : { seen: !unread };
      const { mails, count } = await connection.inFolder(folder, async (client) => {
        const found = await client.search({ all: true, ...query, ...seen }, { uid: true });
        if (!found) throw new ToolFailure("The server refuses this search.");
        const uids = found.sort((a, b) => b - a).slice(0, limit);
        return {
          mails: await fetchMails(client, { connection, folder, uids }),
          count: found.length,
        };
      });
      if (count === 0) return "No mail was found.";
      const lines = mails.reverse().map(describeFound).join("\n");
      const more = count > mails.length ? `\n${count} mails were found; these are the newest.` : "";
      return toUntrustedBlock(lines) + more;
    },
  });
}

function describeFound(mail: FoundMail): string {
  const { head: { from, subject, date }, arrivedAt, isSeen } = mail;
  const at = new Date(date ?? arrivedAt).toISOString().slice(0, 16);
  return `${mailIdOf(mail)} | ${at} | ${from} | ${subject}${isSeen ? "" : " (unread)"}`;
}

function createRead(connect: () => Promise<ImapConnection>): ActionTool {
  return defineTool({
    name: "mail_read",
    description: "Reads a mail. It stays unread for people.",
    schema: z.object({
      mail: MAIL_ID,
      attachments: z.boolean().default(false).describe("Save its attachments as files"),
    }),
    effect: ({ attachments }) => attachments ? "idempotent" : "read",
    writesFile: ({ attachments }) => attachments === true,
    worksOn: "files",
    timeoutMs: TIMEOUT_MS,
    async run({ mail: id, attachments }, { sandbox, signal }) {
      const mail = await findMail(await connect(), id);
      if (attachments) {
        return describeEvent(
          describeMail("A mail", mail, await readContent(mail, { sandbox, signal })),
        );
      }
      const read = await readWhole(mail);
      const names = safeNames(read.files.map(({ name }) => name));
      const files = read.files.map(({ type, bytes }, index) => ({
        ...{ type, bytes, name: names[index] ?? "" },
        note: "attachments: true saves it",
      }));
      return describeEvent(describeMail("A mail", mail, { read, files }));
    },
  });
}

function createDraft(account: string, open: () => Promise<MailAccounts>): ActionTool {
  return defineTool({
    name: "mail_draft",
    description: "Writes a mail into the folder of drafts. A person sends it.",
    schema: z.object(DRAFT),
    effect: "unsafe",
    timeoutMs: TIMEOUT_MS,
    async run(args, context) {
      const accounts = await open();
      const connection = accounts.connection(account);
      const messageId = createMessageId(connection.account);
      const mail = await toOutgoing(args, { connection, context, messageId });
      const { source } = await accounts.write(account, { ...mail, isDraft: true });
      const { folder, id } = await connection.use(async (client) => {
        const folder = await findFolder(client, "\\Drafts");
        if (folder === undefined) throw new ToolFailure("The account has no folder of drafts.");
        return {
          folder,
          id: await addMail(client, folder, { source, flags: ["\\Draft", "\\Seen"] }),
        };
      });
      return `The draft is in ${JSON.stringify(folder)}${id === undefined ? "." : `: ${id}`}`;
    },
  });
}

function createMove(connect: () => Promise<ImapConnection>): ActionTool {
  return defineTool({
    name: "mail_move",
    description: "Moves a mail into another folder, which must exist.",
    schema: z.object({ mail: MAIL_ID, folder: z.string().min(1) }),
    effect: "unsafe",
    timeoutMs: TIMEOUT_MS,
    async run({ mail: id, folder: target }) {
      const connection = await connect();
      const { folder, uid } = await findMail(connection, id);
      // Opening the target fails with the names of the folders if there is none.
      const uidValidity = await connection.inFolder(
        target,
        (client) => Promise.resolve(uidValidityOf(client)),
      );
      const moved = await connection.inFolder(
        folder,
        (client) => client.messageMove(`${uid}`, target, { uid: true }),
      );
      if (moved === false) throw new ToolFailure("The server does not move the mail.");
      const newUid = moved.uidMap?.get(uid);
      const where = JSON.stringify(target);
      return newUid === undefined
        ? `The mail is in ${where}.`
        : `The mail is in ${where}: ${mailIdOf({ uidValidity, uid: newUid, folder: target })}`;
    },
  });
}
