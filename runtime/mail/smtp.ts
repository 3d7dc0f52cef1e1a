// Writes mails, and sends them over SMTP.
import { Buffer } from "node:buffer";
import type { SMTPSentMessageInfo, StreamSentMessageInfo, Transporter } from "nodemailer";
import { lazyModule } from "../../base/lazy_module.ts";
import { addressOf, domainOf } from "../../base/text/mail_address.ts";
import type { MailAccount } from "../config/mail_schema.ts";
import { MailError, toMailError } from "./mail_error.ts";
import { type FindSecret, withSecret } from "./mail_secret.ts";

const loadMailer = lazyModule(() => import("nodemailer"));

const ANSWER_MS = 60_000;

/** A mail to send. Addresses are plain, without names. */
export interface OutgoingMail {
  /** The Message-ID, from createMessageId(). It stays the same when the mail is sent again. */
  messageId: string;
  to: readonly string[];
  cc?: readonly string[];
  /** Further recipients, whom the mail does not name. */
  bcc?: readonly string[];
  subject: string;
  text: string;
  date: Date;
  /** The Message-ID of the mail that this one answers. */
  inReplyTo?: string;
  /** The Message-IDs of the thread, oldest first. */
  references?: readonly string[];
  attachments?: readonly { name: string; content: Uint8Array }[];
  /** True for a mail that a person sends. It does not say that a program has written it. */
  isDraft?: true;
}

/** A written mail: its source, and the addresses to which it goes. */
export interface WrittenMail {
  source: Uint8Array;
  recipients: string[];
}

/** Returns a new Message-ID for a mail of an account. */
export function createMessageId({ address }: Pick<MailAccount, "address">): string {
  return `<${crypto.randomUUID()}@${domainOf(address)}>`;
}

/** Returns the source of a mail. It says that a program has written it, except in a draft. Throws MailError if an address is invalid. */
export async function writeMail(account: MailAccount, mail: OutgoingMail): Promise<WrittenMail> {
  const recipients = [...mail.to, ...mail.cc ?? [], ...mail.bcc ?? []].map(requireAddress);
  const { createTransport } = await loadMailer();
  const composer = createTransport({ streamTransport: true, buffer: true, newline: "windows" });
  const sent: StreamSentMessageInfo = await composer.sendMail({
    from: account.address,
    to: mail.to.map(requireAddress),
    cc: (mail.cc ?? []).map(requireAddress),
    // A line break in a header would begin another one.
    subject: mail.subject.replaceAll(/[\p{C}\s]+/gu, " ").trim(),
    // Servers disagree about a single carriage return, so one could end the mail.
    text: mail.text.replaceAll(/\r\n?/g, "\n"),
    date: mail.date,
    messageId: mail.messageId,
    ...(mail.inReplyTo !== undefined && { inReplyTo: mail.inReplyTo }),
    ...(mail.references !== undefined && { references: [...mail.references] }),
    attachments: (mail.attachments ?? []).map(({ name, content }) => ({
      filename: name,
      content: Buffer.from(content),
    })),
    ...(!mail.isDraft && {
      headers: {
        "Auto-Submitted": mail.inReplyTo === undefined ? "auto-generated" : "auto-replied",
      },
    }),
    ...{ disableFileAccess: true, disableUrlAccess: true },
  });
  return { source: sent.message as Uint8Array, recipients };
}

/** Sends a written mail. Resolves when the server has accepted it for all recipients. Throws MailError. */
export async function sendMail(
  account: MailAccount,
  { source, recipients }: WrittenMail,
  secret: FindSecret,
): Promise<void> {
  await withTransport(account, secret, async (transport) => {
    const { rejected = [] }: SMTPSentMessageInfo = await transport.sendMail({
      envelope: { from: account.address, to: recipients },
      raw: Buffer.from(source),
    });
    if (rejected.length === 0) return;
    const problem = `${account.smtp.host} does not accept mail for ${rejected.join(", ")}`;
    const remedy = "The other recipients got the mail: do not send it to them again";
    throw new MailError("refused", problem, { remedy, isPartial: true });
  });
}

/** Signs in to the server for sending. Sends nothing. Throws MailError. */
export async function checkSending(account: MailAccount, secret: FindSecret): Promise<void> {
  await withTransport(account, secret, (transport) => transport.verify());
}

async function withTransport(
  account: MailAccount,
  findSecret: FindSecret,
  work: (transport: Transporter<SMTPSentMessageInfo>) => Promise<unknown>,
): Promise<void> {
  const { host, port, security } = account.smtp;
  const { createTransport } = await loadMailer();
  try {
    await withSecret(findSecret, async (secret) => {
      const { user } = account;
      const transport = createTransport({
        ...{ host, port, secure: security === "tls", requireTLS: security === "starttls" },
        ignoreTLS: security === "none",
        auth: "pass" in secret ? { user, ...secret } : { type: "OAuth2", user, ...secret },
        ...{ connectionTimeout: ANSWER_MS, greetingTimeout: ANSWER_MS, socketTimeout: ANSWER_MS },
        ...{ disableFileAccess: true, disableUrlAccess: true },
      });
      try {
        await work(transport);
      } finally {
        transport.close();
      }
    });
  } catch (error) {
    throw toMailError(error, { account, server: account.smtp });
  }
}

function requireAddress(text: string): string {
  const address = addressOf(text);
  if (address !== undefined) return address;
  throw new MailError("refused", `${JSON.stringify(text)} is no mail address`);
}
