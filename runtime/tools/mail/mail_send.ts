// The tool mail_send. Its Message-ID is derived from the stored call, so that a crash does not send a mail twice.
import { z } from "zod";
import type { Agent } from "../../agents/agent.ts";
import { type MailUse, mayMailTo } from "../../agents/approval/mail_use.ts";
import { sha256Of } from "../../../base/sha256.ts";
import { addressOf, domainOf } from "../../../base/text/mail_address.ts";
import { listWords } from "../../config/files/shown_value.ts";
import type { ImapConnection } from "../../mail/imap_connection.ts";
import type { MailAccounts } from "../../mail/mail_accounts.ts";
import { codeOfMailer, MailError } from "../../mail/mail_error.ts";
import type { WrittenMail } from "../../mail/smtp.ts";
import { defineTool } from "../definition/define_tool.ts";
import type { ActionTool, ToolContext } from "../definition/tool.ts";
import { ToolFailure } from "../failures/tool_failure.ts";
import { DRAFT, toOutgoing } from "./outgoing_mail.ts";
import { addMail, findFolder, findMessageId } from "./mail_places.ts";

const TIMEOUT_MS = 5 * 60_000;
/** The hosts whose servers add a sent mail to the folder of sent mails by themselves. */
const ADDS_SENT = /(^|\.)(gmail|googlemail|office365|outlook)\.com$/;

/** The error codes of a host that no connection has reached. */
const NEVER_CONNECTED = new Set(["EDNS", "ENOTFOUND", "ECONNREFUSED"]);

/** Creates the tool mail_send of an agent. */
export function createMailSend(
  { mail, autoApprove }: Pick<Agent, "autoApprove"> & { mail: MailUse },
  open: () => Promise<MailAccounts>,
): ActionTool {
  const isExempt = autoApprove === "*" || autoApprove.includes("mail_send");
  const only = mail.to === undefined ? "" : ` Its recipients: ${listWords(mail.to)}.`;
  const allowed = z.array(z.string()).superRefine((written, context) => {
    const refused = written.filter((one) => !mayMailTo(mail, addressOf(one) ?? ""));
    if (refused.length === 0) return;
    const message = `${listWords(refused)}: the agent's file allows only ${
      listWords(mail.to ?? [])
    }`;
    context.addIssue({ code: "custom", message });
  });
  return defineTool({
    name: "mail_send",
    description: `Sends a mail from the account ${mail.account}.${only}`,
    schema: z.object({
      ...DRAFT,
      to: DRAFT.to.pipe(allowed),
      cc: DRAFT.cc.pipe(allowed),
      bcc: DRAFT.cc.pipe(allowed),
    }),
    effect: "unsafe",
    timeoutMs: TIMEOUT_MS,
    approval: {
      mayAsk: !isExempt,
      asks: () => !isExempt,
      question: ({ subject }) =>
        `Send this mail from the account ${mail.account}?` +
        (subject === undefined ? " Its subject is that of the mail that it answers." : ""),
    },
    run: async (args, context) => {
      const accounts = await open();
      const connection = accounts.connection(mail.account);
      const messageId = await messageIdOf(context, connection);
      const outgoing = await toOutgoing(args, { connection, context, messageId });
      const written = await accounts.write(mail.account, { ...outgoing, bcc: args.bcc });
      context.signal.throwIfAborted();
      await send(accounts, mail.account, written).catch(async (error) => {
        const isPartial = error instanceof MailError && error.isPartial;
        if (isPartial) await keepSent(connection, { messageId, written });
        throw error;
      });
      const kept = await keepSent(connection, { messageId, written });
      return `The mail was sent to ${listWords(written.recipients)}. ${kept}`;
    },
    async findOutcome(context) {
      try {
        const connection = (await open()).connection(mail.account);
        const messageId = await messageIdOf(context, connection);
        const folder = await connection.use((client) => findFolder(client, "\\Sent"));
        if (folder === undefined) return undefined;
        const found = await connection.inFolder(
          folder,
          (client) => findMessageId(client, messageId),
        );
        if (found.length === 0) return undefined;
        return `The mail was sent before the service stopped: it is in ${JSON.stringify(folder)}.`;
      } catch (error) {
        // The account cannot be reached, so nothing is known about the mail.
        if (error instanceof MailError) return undefined;
        throw error;
      }
    },
  });
}

/** Returns the Message-ID of a call's mail. It follows from the stored call, so it is known again after a crash. */
async function messageIdOf(
  { executionId, toolCallId, startedAt }: ToolContext,
  { account: { address } }: ImapConnection,
): Promise<string> {
  const digest = await sha256Of(JSON.stringify([executionId, toolCallId, startedAt, address]));
  return `<inkling.${digest.slice(0, 32)}@${domainOf(address)}>`;
}

async function send(accounts: MailAccounts, name: string, written: WrittenMail): Promise<void> {
  try {
    await accounts.send(name, written);
  } catch (error) {
    if (!(error instanceof MailError) || !mayBeSent(error)) throw error;
    const doubt = "If the connection ended late, the mail was sent all the same: find out before " +
      "you send it again.";
    throw new ToolFailure(`${error.message}. ${doubt}`);
  }
}

/**
 * Returns true if the server may have got the mail before the connection failed. nodemailer marks the failures of its
 * connections with a command; other failures, for example of the authorization server, come before the connection.
 */
function mayBeSent({ kind, cause }: MailError): boolean {
  if (kind !== "unreachable" || typeof cause !== "object" || cause === null) return false;
  return "command" in cause && !NEVER_CONNECTED.has(codeOfMailer(cause));
}

/** Adds a sent mail to the folder of sent mails, unless the server does so. Returns a sentence about the copy. */
async function keepSent(
  connection: ImapConnection,
  { messageId, written }: { messageId: string; written: WrittenMail },
): Promise<string> {
  if (ADDS_SENT.test(connection.account.smtp.host)) return "";
  try {
    const folder = await connection.use((client) => findFolder(client, "\\Sent"));
    if (folder === undefined) return "The account has no folder of sent mails for a copy.";
    await connection.inFolder(folder, async (client) => {
      if ((await findMessageId(client, messageId)).length > 0) return;
      await addMail(client, folder, { source: written.source, flags: ["\\Seen"] });
    });
    return `A copy is in ${JSON.stringify(folder)}.`;
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    return `Its copy was not stored: ${error.message}`;
  }
}
