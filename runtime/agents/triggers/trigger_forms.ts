// The table of the trigger kinds, and the schema of `trigger`.
import { z } from "zod";
import { countLimit, field, section } from "../../config/fields.ts";
import {
  AUTOMATIC_TRIGGER_TYPES,
  TRIGGER_TYPES,
  type TriggerType,
} from "../../vocabulary/trigger_kinds.ts";
import { CATCH_UP, MANUAL, SCHEDULE, WATCH } from "./basic_rules.ts";
import { CHANGE } from "./change_rules.ts";
import { MAIL } from "./mail_rules.ts";
import { WEBHOOK } from "./webhook_rules.ts";

/**
 * The fields, the rules and the conversion of each kind of trigger. A conversion leaves `input` out. `secrets` returns the
 * names of the environment variables with the trigger's secrets.
 */
export const TRIGGER_FORMS = {
  manual: MANUAL,
  schedule: SCHEDULE,
  watch: WATCH,
  webhook: WEBHOOK,
  change: CHANGE,
  mail: MAIL,
} satisfies Record<TriggerType, object>;

/** The schema of `trigger`: one map for all kinds, so that a field of another kind is reported at its position. */
export const triggerSchema = section({
  type: field(z.enum(TRIGGER_TYPES), "manual", "The event that starts a run"),
  ...SCHEDULE.fields,
  ...WATCH.fields,
  max_runs: field(
    z.int().min(1).max(100_000),
    200,
    "watch, webhook, change: maximum runs that start within ten minutes; one more stops the trigger",
  ),
  max_failures: field(
    countLimit,
    10,
    "Number of failed runs in a row that pause the trigger; `none`: never",
  ),
  ...WEBHOOK.fields,
  ...CHANGE.fields,
  ...MAIL.fields,
  catch_up: CATCH_UP,
  input: z.string().nullish().meta({
    description:
      "The user message, with placeholders such as `{context}`, `{path}`, `{body}`, `{field:/path}` and `{new}`",
  }),
});

/** The kinds that each field of `trigger` applies to. Fields of every kind are left out. */
export const KINDS_OF_FIELD: Readonly<Record<string, readonly TriggerType[]>> = {
  ...Object.fromEntries(
    TRIGGER_TYPES.flatMap((kind) =>
      Object.keys(TRIGGER_FORMS[kind].fields).map((name) => [name, [kind]])
    ),
  ),
  every: ["schedule", "change"],
  max_runs: ["watch", "webhook", "change"],
  max_failures: AUTOMATIC_TRIGGER_TYPES,
  catch_up: ["schedule", "watch"],
};
