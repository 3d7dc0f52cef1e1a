// The table of the trigger kinds that have a file of their own for fields, rules and conversion.
import { CHANGE_FIELDS, checkChange, toChange } from "./change_rules.ts";
import { checkMail, MAIL_FIELDS, toMail } from "./mail_rules.ts";
import { checkWebhook, toWebhook, WEBHOOK_FIELDS } from "./webhook_rules.ts";

/** The schemas of the fields that only one kind has, by kind. */
const FIELDS = { change: CHANGE_FIELDS, mail: MAIL_FIELDS, webhook: WEBHOOK_FIELDS } as const;

/** The schemas of all these fields. */
export const KIND_FIELDS = { ...WEBHOOK_FIELDS, ...CHANGE_FIELDS, ...MAIL_FIELDS };

/** The kind that each of these fields belongs to. */
export const KIND_OF_FIELD = Object.fromEntries(
  Object.entries(FIELDS).flatMap(([kind, fields]) =>
    Object.keys(fields).map((name) => [name, [kind as keyof typeof FIELDS]])
  ),
);

/** The functions that report the broken rules of a trigger, by kind. */
export const KIND_CHECKS = { change: checkChange, mail: checkMail, webhook: checkWebhook };

/** The functions that convert the fields of a trigger, by kind. They do not convert `input`. */
export const KIND_CONVERTERS = { change: toChange, mail: toMail, webhook: toWebhook };

/** The triggers of the kinds in KIND_CONVERTERS. */
export type ConvertedTrigger = ReturnType<(typeof KIND_CONVERTERS)[keyof typeof KIND_CONVERTERS]>;
