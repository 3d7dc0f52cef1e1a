// Reads a whole mail for an agent: its text, and its attachments as files. Describes it for the model.
import type { MailAccount } from "../../config/mail_schema.ts";
import type { FoundMail } from "../../mail/found_mail.ts";
import { MAX_MAIL_BYTES, type ReadMail, readMail } from "../../mail/read_mail.ts";
import { isProven } from "../../mail/sender_proof.ts";
import type { EventCause } from "../../vocabulary/run_cause.ts";
import { quoteText } from "../../vocabulary/untrusted_text.ts";
import type { PathSandbox } from "../files/path_sandbox.ts";
import { toMarkdown } from "../pages/readable_text.ts";
import { type SavedFile, saveFiles } from "./mail_files.ts";

/** Reads a mail and saves its attachments for an agent. Throws MailError. */
export async function readContent(
  mail: FoundMail,
  { sandbox, signal }: { sandbox: PathSandbox; signal: AbortSignal },
): Promise<{ read: ReadMail; files: readonly SavedFile[] }> {
  const read = await readWhole(mail);
  const day = new Date(mail.arrivedAt).toISOString().slice(0, 10);
  const folder = `${day}-${mail.account.name}-${mail.uid}`;
  return { read, files: await saveFiles(read.files, { sandbox, folder, signal }) };
}

/** Reads a mail, of a mail over the maximum size only the head. Throws MailError. */
export async function readWhole(mail: FoundMail): Promise<ReadMail> {
  if (mail.bytes <= MAX_MAIL_BYTES) {
    return await readMail(await mail.readSource(), { toMarkdown });
  }
  const size = `${Math.ceil(mail.bytes / 1024 / 1024)} MB`;
  const notes = [`Only its headers were read, because the mail has ${size}.`];
  return { ...mail.head, text: "", quoted: "", files: [], notes };
}

/** Describes a mail for the model. `event` begins the description, such as `A mail arrived`. */
export function describeMail(
  event: string,
  { account, folder, arrivedAt }: Pick<FoundMail, "folder" | "arrivedAt"> & {
    account: Pick<MailAccount, "name" | "authServer">;
  },
  { read, files }: Awaited<ReturnType<typeof readContent>>,
): Pick<EventCause, "summary" | "values" | "shown"> {
  const isKnown = isProven(read, account.authServer);
  const lines = files.map(({ name, path, type, bytes, note }) => {
    const about = `${type}, ${Math.ceil(bytes / 1024)} KB`;
    return path === undefined
      ? `- ${quoteText(name)} (${about}), not saved: ${note}`
      : `- ${quoteText(path)} (${about})`;
  });
  const summary = [
    `${event} in the folder ${quoteText(folder)} of the account ${account.name}. Its sender is ${
      isKnown ? "proven" : "not proven: anybody may have written it"
    }.`,
    ...read.notes,
    ...(lines.length === 0 ? [] : [`Its attachments:\n${lines.join("\n")}`]),
  ].join("\n");
  const values = {
    from: read.from,
    to: read.to,
    cc: read.cc,
    date: new Date(read.date ?? arrivedAt).toISOString(),
    subject: read.subject,
    message_id: read.messageId ?? "",
    files: files.flatMap(({ path }) => path ?? []).join("\n"),
    text: read.text,
    quoted: read.quoted,
  };
  const shown = ["from", "to", "cc", "date", "subject", "message_id", "text", "quoted"] as const;
  return { summary, values, shown: shown.filter((name) => values[name] !== "") };
}
