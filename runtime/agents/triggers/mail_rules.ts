// Defines the fields of a mail trigger, checks the rules between them, and converts them.
import { z } from "zod";
import { diagnose, type DiagnosedFile } from "../../config/files/diagnosed_file.ts";
import { field, filledText, oneOrMore } from "../../config/fields.ts";
import type { Diagnostic } from "../../../base/diagnostics.ts";
import { parseDuration } from "../../../base/durations.ts";
import { DAY_MS } from "../../../base/time_units.ts";

/** Starts the agent when a mail arrives. */
export interface MailTrigger {
  type: "mail";
  /** The name of the account in config.yaml. */
  account: string;
  /** The folder as the server names it. */
  folder: string;
  /** The patterns for the sender's address, in lower case. One must match. Any sender if empty. */
  from: string[];
  /** The patterns for the recipients' addresses, in lower case. One must match. Any recipient if empty. */
  to: string[];
  /** The pattern for the subject, in lower case. Any subject if absent. */
  subject?: string;
  /** The mark or the move of a mail after its run has been accepted. */
  then: "keep" | "seen" | { move: string };
  /** The age in milliseconds of the oldest mail that the first start takes. Zero: only later mails. */
  sinceMs: number;
  /** Set if mails without a proven sender start runs, too. */
  unproven?: true;
  /** Set if mails that programs have written start runs, too. */
  automatic?: true;
  input?: string;
}

const MAX_SINCE_MS = 90 * DAY_MS;

const sinceTime = z.unknown().transform((value, context) => {
  const ms = typeof value === "string" ? parseDuration(value) : undefined;
  if (ms !== undefined && ms <= MAX_SINCE_MS) return ms;
  context.addIssue({ code: "custom", message: "must be a duration such as 2h or 2d, up to 90d" });
  return z.NEVER;
});

/** The schemas of the fields of `trigger` that only a mail trigger has. */
export const MAIL_FIELDS = {
  account: filledText.nullish().meta({
    description: "mail: the account, from `mail` in config.yaml",
    default: "required for mail",
  }),
  folder: field(filledText, "INBOX", "mail: the folder, as the server names it"),
  from: field(
    oneOrMore(filledText),
    [],
    "mail: only mails of these senders: addresses, or `*@example.com`",
  ).meta({ values: "text or list" }),
  to: field(oneOrMore(filledText), [], "mail: only mails to one of these addresses").meta({
    values: "text or list",
  }),
  subject: filledText.nullish().meta({
    description: "mail: only mails with such a subject; `*` stands for any text",
  }),
  then: field(
    z.string().regex(/^(keep|seen|move:.+)$/, "must be keep, seen, or move: with a folder"),
    "keep",
    "mail: the mail after its run has been accepted: `keep`, `seen`, or `move:Done`",
  ),
  since: sinceTime.nullish().meta({
    values: "duration",
    description: "mail: the first start also takes mails of this age, such as `2d`",
  }),
  unproven: field(z.boolean(), false, "mail: also mails whose sender is not proven"),
  automatic: field(
    z.boolean(),
    false,
    "mail: also mails that programs have written: newsletters, replies of machines, reports",
  ),
};

/** Returns a diagnostic for every broken rule of a mail trigger. */
export function checkMail(
  file: DiagnosedFile,
  trigger: Readonly<Record<string, unknown>>,
): Diagnostic[] {
  if (trigger["account"] != null) return [];
  return [diagnose(file, ["trigger", "type"], {
    message: "trigger.account is missing: a mail trigger needs an account of config.yaml",
    hint: "for instance account: home",
  })];
}

/** Converts the fields of a mail trigger that passed the rules. */
export function toMail(written: z.output<z.ZodObject<typeof MAIL_FIELDS>>): MailTrigger {
  const { account, folder, subject, then, since, unproven, automatic } = written;
  // checkMail() refuses a trigger without an account.
  if (account == null) throw new TypeError("A mail trigger has no account");
  const lower = (list: readonly string[]) => list.map((one) => one.trim().toLowerCase());
  return {
    type: "mail",
    account,
    folder,
    from: lower(written.from),
    to: lower(written.to),
    ...(subject != null && { subject: subject.trim().toLowerCase() }),
    then: then === "keep" || then === "seen" ? then : { move: then.slice("move:".length) },
    sinceMs: since ?? 0,
    ...(unproven && { unproven }),
    ...(automatic && { automatic }),
  };
}
