// Converts the arguments of mail_send and mail_draft to a mail: addresses, thread and attachments.
import { z } from "zod";
import { basename } from "../../../base/plain_path.ts";
import { addressOf } from "../../../base/text/mail_address.ts";
import { toPlainLine } from "../../../base/text/plain_text.ts";
import type { ImapConnection } from "../../mail/imap_connection.ts";
import { MAX_FILE_BYTES } from "../../mail/read_mail.ts";
import type { OutgoingMail } from "../../mail/smtp.ts";
import type { ToolContext } from "../definition/tool.ts";
import { ToolFailure } from "../failures/tool_failure.ts";
import { openFile } from "../files/opened_file.ts";
import { findMail } from "./mail_places.ts";

const MAX_RECIPIENTS = 50;
const MAX_TEXT = 200_000;

const addresses = z.array(
  z.string().refine(
    (text) => addressOf(text) !== undefined,
    "must be a plain address such as ann@example.com",
  ),
).max(MAX_RECIPIENTS);

/** The arguments that mail_draft and mail_send share. */
export const DRAFT = {
  to: addresses.min(1),
  cc: addresses.default([]),
  subject: z.string().max(500).regex(/^\P{Cc}*$/u, "must be one line").optional()
    .describe("Default with reply_to: the subject of that mail"),
  text: z.string().min(1).max(MAX_TEXT).describe("Plain text"),
  reply_to: z.string().optional()
    .describe("The id or Message-ID of the mail to answer, whose thread is kept"),
  attachments: z.array(z.string()).max(20).default([]).describe("Paths of files"),
};

type Draft = z.output<z.ZodObject<typeof DRAFT>>;

/** Returns the mail that the arguments describe. Throws ToolFailure and MailError. */
export async function toOutgoing(
  { to, cc, subject, text, reply_to: replyTo, attachments: paths }: Draft,
  { connection, context, messageId }: {
    connection: ImapConnection;
    context: Pick<ToolContext, "sandbox" | "clock">;
    messageId: string;
  },
): Promise<OutgoingMail> {
  const answered = replyTo === undefined ? undefined : await findMail(connection, replyTo);
  if (answered === undefined && !subject?.trim()) {
    throw new ToolFailure("A new mail needs a subject.");
  }
  const { head: { messageId: id, references = [], subject: old = "" } } = answered ?? { head: {} };
  return {
    ...{ messageId, to, cc, text, date: new Date(context.clock.now()) },
    subject: subject?.trim() || (/^re:/i.test(old) ? old : `Re: ${old}`),
    ...(id !== undefined && { inReplyTo: id, references: [...references, id] }),
    attachments: await readAttachments(paths, context),
  };
}

async function readAttachments(
  paths: readonly string[],
  { sandbox }: Pick<ToolContext, "sandbox">,
): Promise<NonNullable<OutgoingMail["attachments"]>> {
  const read: { name: string; content: Uint8Array }[] = [];
  let left = MAX_FILE_BYTES;
  for (const path of paths) {
    await using file = await openFile(sandbox, path);
    if (file.size > left) {
      const limit = `${MAX_FILE_BYTES / 1024 / 1024} MB`;
      throw new ToolFailure(`The attachments have more than ${limit} together: send fewer.`);
    }
    left -= file.size;
    const name = toPlainLine(basename(file.display), 200);
    read.push({ name, content: await file.readAll(MAX_FILE_BYTES) });
  }
  return read;
}
