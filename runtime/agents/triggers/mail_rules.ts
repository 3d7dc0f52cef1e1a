// Defines the fields of a mail trigger, checks the rules between them, and converts them.
import { z } from "zod";
import { diagnose, type DiagnosedFile } from "../../config/files/diagnosed_file.ts";
import { durationBetween, field, filledText, oneOrMore } from "../../config/fields.ts";
import type { Diagnostic } from "../../../base/diagnostics.ts";
import { DAY_MS } from "../../../base/time_units.ts";

const sinceTime = durationBetween(0, 90 * DAY_MS, "a duration such as 2h or 2d, up to 90d");

/** The schemas of the fields of `trigger` that only a mail trigger has. */
const MAIL_FIELDS = {
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
function checkMail(
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
function toMail(written: z.output<z.ZodObject<typeof MAIL_FIELDS>>) {
  const { account, folder, subject, then, since, unproven, automatic } = written;
  // checkMail() refuses a trigger without an account.
  if (account == null) throw new TypeError("A mail trigger has no account");
  const lower = (list: readonly string[]) => list.map((one) => one.trim().toLowerCase());
  return {
    type: "mail" as const,
    /** The name of the account in config.yaml. */
    account,
    /** The folder as the server names it. */
    folder,
    /** The patterns for the sender's address, in lower case. One must match. Any sender if empty. */
    from: lower(written.from),
    /** The patterns for the recipients' addresses, in lower case. One must match. Any recipient if empty. */
    to: lower(written.to),
    // The pattern for the subject, in lower case. Any subject if it is absent.
    ...(subject != null && { subject: subject.trim().toLowerCase() }),
    /** The mark or the move of a mail after its run has been accepted. */
    then: then === "keep" || then === "seen" ? then : { move: then.slice("move:".length) },
    /** The age in milliseconds of the oldest mail that the first start takes. Zero: only later mails. */
    sinceMs: since ?? 0,
    // Set if mails without a proven sender, and mails that programs have written, start runs, too.
    ...(unproven && { unproven }),
    ...(automatic && { automatic }),
  };
}

/** Starts the agent when a mail arrives: the fields, the rules and the conversion. */
export const MAIL = { fields: MAIL_FIELDS, check: checkMail, convert: toMail };
