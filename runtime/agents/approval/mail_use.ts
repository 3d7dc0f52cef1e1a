// Defines the field `mail` of an agent's file, which gives the agent the mail tools.
import { z } from "zod";
import { addressOf, domainOf } from "../../../base/text/mail_address.ts";
import { filledText } from "../../config/fields.ts";

/** The mail account of an agent. */
export interface MailUse {
  /** The name of the account in config.yaml. */
  account: string;
  /** The addresses, or `*@domain`, to which the agent may send mails, in lower case. Absent: to everybody. */
  to?: string[];
}

const recipient = z.string().refine(
  (text) => addressOf(text.trim().replace(/^\*@/, "any@")) !== undefined,
  "must be a mail address such as ann@example.com, or *@example.com",
);

const MAIL_USE = {
  account: filledText.meta({
    description: "The account of the mail tools, from `mail` in config.yaml; `mail: home` is short",
    default: "required",
  }),
  to: z.preprocess(
    (value) => typeof value === "string" ? [value] : value,
    z.array(recipient).min(1).nullish(),
  ).meta({
    values: "text or list",
    description: "The only recipients of `mail_send`: addresses, or `*@example.com`",
    default: "every address",
  }),
};

/** The schema of `mail`. A text is the name of the account. */
export const mailUseSchema = z.union([filledText, z.object(MAIL_USE)], {
  error: "must be an account of config.yaml, or a map with account and to",
}).nullish();

/** Converts the parsed field. Undefined if the agent has no mail tools. */
export function toMailUse(written: z.output<typeof mailUseSchema>): MailUse | undefined {
  if (written == null) return undefined;
  const { account, to } = typeof written === "string" ? { account: written } : written;
  const lower = to?.map((one) => one.trim().toLowerCase());
  return { account: account.trim(), ...(lower !== undefined && { to: [...new Set(lower)] }) };
}

/** Returns true if the agent may send mails to an address. */
export function mayMailTo({ to }: Pick<MailUse, "to">, address: string): boolean {
  return to === undefined || to.includes(address) || to.includes(`*@${domainOf(address)}`);
}
