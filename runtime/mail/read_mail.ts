// Parses a mail: its headers, its text, and its attachments.
import type { Address, Attachment, Email, Header, Mailbox } from "postal-mime";
import { lazyModule } from "../../base/lazy_module.ts";
import { cutEnd } from "../../base/text/cut_text.ts";
import { toPlainLine } from "../../base/text/plain_text.ts";
import { addressOf } from "../../base/text/mail_address.ts";
import { splitQuoted } from "./quoted_text.ts";

const loadParser = lazyModule(() => import("postal-mime"));

/** The maximum size of an attachment that is read, in bytes. */
export const MAX_FILE_BYTES = 25 * 1024 * 1024;
/** The maximum size of a mail that is read, in bytes. */
export const MAX_MAIL_BYTES = 100 * 1024 * 1024;

const MAX_RECIPIENTS = 50;
const MAX_FILES = 100;
const MAX_LINE = 500;
const MAX_TEXT = 100_000;
/** The maximum length of HTML that is converted to Markdown, in characters. */
const MAX_HTML = 2_000_000;

/** An attachment. `content` is absent if it is over MAX_FILE_BYTES. */
export interface MailFile {
  /** The name that the mail gives, which may contain anything. */
  name: string;
  type: string;
  bytes: number;
  content?: Uint8Array;
}

/** The head of a mail: the values of its headers. */
export interface MailHead {
  /** The only address in `From`, in lower case. Undefined if there is none, an invalid one, or several. */
  sender: string | undefined;
  from: string;
  /** The recipients in words, of which long lists are shortened. */
  to: string;
  cc: string;
  /** The addresses of `To`, `Cc` and `Delivered-To`, in lower case. */
  recipients: readonly string[];
  /** The value of the header `Date`, in milliseconds since the epoch. Undefined if it is missing or invalid. */
  date: number | undefined;
  subject: string;
  /** The Message-ID with its angle brackets, or undefined. */
  messageId: string | undefined;
  /** The Message-IDs of the earlier mails of the thread, oldest first. */
  references: readonly string[];
  headers: readonly Header[];
}

/** A parsed mail. */
export interface ReadMail extends MailHead {
  /** The text without quoted mails and the signature. HTML is Markdown. */
  text: string;
  /** The quoted mails and the signature. */
  quoted: string;
  files: MailFile[];
  /** The problems of the mail in sentences. */
  notes: string[];
}

/** Parses the headers of a mail. */
export async function readHead(source: Uint8Array): Promise<MailHead> {
  return toHead(await parse(headOf(source)) ?? EMPTY);
}

/**
 * Parses a mail. A mail with a structure that cannot be parsed has only its head, and a note. `toMarkdown` converts HTML to
 * Markdown, and returns undefined if it cannot.
 */
export async function readMail(
  source: Uint8Array,
  { toMarkdown }: { toMarkdown: (html: string) => Promise<string | undefined> },
): Promise<ReadMail> {
  const parsed = await parse(source);
  if (parsed === undefined) {
    const notes = ["The text of this mail cannot be read: its structure is broken or too deep."];
    return { ...await readHead(source), text: "", quoted: "", files: [], notes };
  }
  const html = (parsed.html ?? "").slice(0, MAX_HTML);
  const plain = parsed.text?.trim() ? parsed.text : undefined;
  const written = (plain ?? await toMarkdown(html) ?? html.replaceAll(/<[^<>]*>/g, " "))
    .replaceAll(/\r\n?/g, "\n");
  const { text, quoted } = splitQuoted(written);
  const files = parsed.attachments.slice(0, MAX_FILES).map(toFile);
  const notes = [
    ...(text === "" && quoted === "" ? ["This mail has no text."] : []),
    ...(parsed.attachments.length > MAX_FILES
      ? [`Only the first ${MAX_FILES} of ${parsed.attachments.length} attachments are read.`]
      : []),
  ];
  return {
    ...toHead(parsed),
    text: cutEnd(text, MAX_TEXT),
    quoted: cutEnd(quoted, MAX_TEXT),
    ...{ files, notes },
  };
}

const EMPTY: Email = { headers: [], headerLines: [], attachments: [] };

async function parse(source: Uint8Array): Promise<Email | undefined> {
  const { default: PostalMime } = await loadParser();
  try {
    return await PostalMime.parse(source, { forceRfc822Attachments: true });
  } catch {
    // The parser refuses structures that are too deep, and headers that are too long.
    return undefined;
  }
}

/** Returns the source up to the first empty line, at most 256 KB. */
function headOf(source: Uint8Array): Uint8Array {
  const head = source.subarray(0, 256 * 1024);
  for (let at = 0; at < head.length; at++) {
    if (head[at] !== 10) continue;
    const next = head[at + 1] === 13 ? head[at + 2] : head[at + 1];
    if (next === 10) return head.subarray(0, at + 1);
  }
  return head;
}

function toHead(email: Email): MailHead {
  const from = contactsOf(email.from === undefined ? [] : [email.from]);
  const valuesOf = (name: string) =>
    email.headers.filter(({ key }) => key === name).map(({ value }) => value);
  const fromHeaders = valuesOf("from");
  // Mail programs and servers disagree about a mail with several senders, so it has none here.
  const isOnly = fromHeaders.length === 1 && from.length === 1 &&
    !hasSeveral(fromHeaders[0] ?? "");
  const lists = [email.to ?? [], email.cc ?? []].map(contactsOf);
  const date = Date.parse(email.date ?? "");
  return {
    sender: isOnly ? addressOf(from[0]?.address ?? "") : undefined,
    from: describeContacts(from),
    to: describeContacts(lists[0] ?? []),
    cc: describeContacts(lists[1] ?? []),
    recipients: [...lists.flat().map(({ address }) => address), ...valuesOf("delivered-to")]
      .flatMap((text) => addressOf(text) ?? []),
    date: Number.isNaN(date) ? undefined : date,
    subject: toPlainLine(email.subject ?? "", MAX_LINE),
    messageId: idsIn(email.messageId ?? "")[0],
    references: [...new Set([...idsIn(email.references ?? ""), ...idsIn(email.inReplyTo ?? "")])],
    headers: email.headers,
  };
}

/** Returns true if the value of `From` may contain several addresses. */
function hasSeveral(value: string): boolean {
  const unquoted = value.replaceAll(/"(?:[^"\\]|\\.)*"/g, "");
  return /[,;]/.test(unquoted) || unquoted.split("@").length > 2 && /<[^>]*>.*</.test(unquoted);
}

function contactsOf(addresses: readonly Address[]): Mailbox[] {
  return addresses.flatMap((one) => one.group === undefined ? [one] : one.group);
}

function describeContacts(contacts: readonly Mailbox[]): string {
  const shown = contacts.slice(0, MAX_RECIPIENTS).map(({ name, address }) => {
    const plain = toPlainLine(address, 254);
    return name === "" ? plain : `${toPlainLine(name, 100)} <${plain}>`;
  });
  const more = contacts.length - shown.length;
  return shown.join(", ") + (more === 0 ? "" : ` and ${more} more`);
}

/** Returns the Message-IDs in a header. At most 50, of which each has a sensible length. */
function idsIn(text: string): string[] {
  const ids = [...text.matchAll(/<[^<>\s]{1,500}>/g)].map(([id]) => id);
  return ids.length <= 50 ? ids : [ids[0] ?? "", ...ids.slice(-49)];
}

function toFile({ filename, mimeType, content }: Attachment): MailFile {
  const bytes = typeof content === "string"
    ? new TextEncoder().encode(content)
    : content instanceof ArrayBuffer
    ? new Uint8Array(content)
    : content;
  return {
    name: filename ?? "",
    type: toPlainLine(mimeType, 100),
    bytes: bytes.length,
    ...(bytes.length <= MAX_FILE_BYTES && { content: bytes }),
  };
}
