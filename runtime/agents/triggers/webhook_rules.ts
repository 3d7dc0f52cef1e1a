// Defines the fields of a webhook trigger, checks the rules between them, and converts them.
import { z } from "zod";
import { field, section, textList, variableName } from "../../config/fields.ts";
import { diagnose, type DiagnosedFile } from "../../config/files/diagnosed_file.ts";
import type { Diagnostic } from "../../../base/diagnostics.ts";
import { compileGlob } from "../../../base/files/glob.ts";
import { isJsonObject } from "../../../base/json.ts";
import { parseDuration } from "../../../base/durations.ts";
import { parsePointer } from "../../../base/json_pointer.ts";
import { DAY_MS } from "../../../base/time_units.ts";
import {
  SCHEME_FORMS,
  SIGNATURE_ENCODINGS,
  type SignatureEncoding,
  TOKEN_PLACES,
  type TokenPlace,
  WEBHOOK_HANDSHAKES,
  WEBHOOK_SCHEMES,
  type WebhookHandshake,
  type WebhookScheme,
} from "../../vocabulary/trigger_kinds.ts";

/** Starts the agent when an authenticated HTTP delivery arrives. */
export interface WebhookTrigger {
  type: "webhook";
  scheme: WebhookScheme;
  /** The names of the environment variables with the secrets. A delivery may be signed with any of them. */
  secrets: string[];
  /** The header with the signature or token of the schemes `hmac` and `token`. The scheme's default if absent. */
  header?: string;
  encoding: SignatureEncoding;
  /** The part of the request that contains the token. A header if absent. */
  in?: TokenPlace;
  /** The sender whose verification requests are answered. None if absent. */
  handshake?: WebhookHandshake;
  /** The environment variable with the token that Meta sends to verify the address. One of the secrets if absent. */
  verifyToken?: string;
  filter: {
    /** The patterns for the event's name. One of them must match. Any event if empty. */
    events: string[];
    /** The required value at each JSON pointer of the body. A text may contain wildcards. */
    fields: Record<string, string | number | boolean | null>;
  };
  /** The maximum number of runs that start within ten minutes; one more stops the trigger. */
  maxRuns: number;
  /** The time in milliseconds that the sender waits for the answer. Absent if it does not wait. */
  syncMs?: number;
  /** The time in milliseconds in which an equal body without an id is the same delivery. One minute if absent. */
  dedupeMs?: number;
  input?: string;
}

const MAX_SYNC_MS = 300_000;

/** The schema of one name of an environment variable, or of several. */
const variableNames = z.preprocess(
  (value) => typeof value === "string" ? [value] : value,
  z.array(variableName).min(1),
);

const headerName = z.string().regex(/^[A-Za-z0-9-]{1,100}$/, "must be the name of a header");

/** The schema of a duration, converted to milliseconds. */
const syncTime = z.unknown().transform((value, context) => {
  const ms = typeof value === "string" ? parseDuration(value) : undefined;
  if (ms !== undefined && ms >= 1_000 && ms <= MAX_SYNC_MS) return ms;
  const message = "must be a duration such as 10s or 1m, from a second to five minutes";
  context.addIssue({ code: "custom", message });
  return z.NEVER;
});

const fieldValues = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean(), z.null()], {
    error: "must be a text, a number, true, false or null",
  }),
);

/** The schema of a duration, converted to milliseconds. Zero is allowed. */
const dedupeTime = z.unknown().transform((value, context) => {
  const ms = typeof value === "string" ? parseDuration(value) : undefined;
  if (ms !== undefined && ms <= DAY_MS) return ms;
  const message = "must be a duration such as 60s or 1h, at most a day, or 0s";
  context.addIssue({ code: "custom", message });
  return z.NEVER;
});

/** The schemas of the fields of `trigger` that only a webhook has. */
export const WEBHOOK_FIELDS = {
  scheme: z.enum(WEBHOOK_SCHEMES).nullish().meta({
    description: "webhook: the scheme that authenticates the sender",
    values: "a scheme of [Webhooks](triggers.md#webhooks)",
    default: "required for webhook",
  }),
  secret: variableNames.nullish().meta({
    values: "text or list",
    description:
      "webhook: the variable with the secret; with several variables, any of the secrets is accepted",
    default: "required for webhook",
  }),
  header: headerName.nullish().meta({
    description: "webhook (hmac, token): the header with the signature or the token",
    default: "`X-Signature` (hmac), `Authorization: Bearer` (token)",
  }),
  encoding: field(
    z.enum(SIGNATURE_ENCODINGS),
    "hex",
    "webhook (hmac): the encoding of the signature",
  ),
  in: z.enum(TOKEN_PLACES).nullish().meta({
    description:
      "webhook (token): the part of the request with the token: a header, the password of Basic, or `?token=` in the address",
    default: "a header",
  }),
  handshake: z.enum(WEBHOOK_HANDSHAKES).nullish().meta({
    description: "webhook: the sender whose verification requests are answered",
    default: "the scheme's own",
  }),
  verify_token: variableName.nullish().meta({
    description: "webhook (meta): the variable that holds the verify token",
    default: "the secret",
  }),
  filter: section({
    events: field(textList, [], "webhook: only events that match one of these patterns"),
    fields: fieldValues.nullish().meta({
      description:
        "webhook: only bodies with these values: a map of JSON pointers to values; a text is a pattern",
    }),
  }),
  sync: syncTime.nullish().meta({
    values: "duration",
    description:
      "webhook: the time for which the sender waits for the run's answer; by default it does not wait",
  }),
  dedupe: dedupeTime.nullish().meta({
    values: "duration",
    description:
      "webhook: the time in which an equal body counts as a repeat (schemes without ids); `0s`: never",
    default: "a minute",
  }),
};

type RawFields = Readonly<Record<string, unknown>>;

/** The schemes that a field applies to, for fields that not all schemes have. */
const SCHEMES_OF_FIELD: Readonly<Record<string, readonly string[]>> = {
  header: ["hmac", "token"],
  encoding: ["hmac"],
  in: ["token"],
  verify_token: ["meta"],
  dedupe: WEBHOOK_SCHEMES.filter((scheme) => SCHEME_FORMS[scheme].mayRepeat),
};

/** Returns a diagnostic for every broken rule of a webhook trigger. */
export function checkWebhook(file: DiagnosedFile, trigger: RawFields): Diagnostic[] {
  return [
    ...checkRequired(file, trigger),
    ...checkScheme(file, trigger),
    ...checkFilter(file, isJsonObject(trigger["filter"]) ? trigger["filter"] : {}),
  ];
}

function checkRequired(file: DiagnosedFile, trigger: RawFields): Diagnostic[] {
  const hints = {
    scheme: "for instance scheme: github, or scheme: token for a sender that cannot sign",
    secret: "for instance secret: GH_HOOK_SECRET, and its value in the environment file",
  };
  return (["scheme", "secret"] as const).filter((key) => trigger[key] == null).map((key) =>
    diagnose(file, ["trigger", "type"], {
      message: `trigger.${key} is missing: a webhook accepts only authenticated deliveries`,
      hint: hints[key],
    })
  );
}

function checkScheme(file: DiagnosedFile, trigger: RawFields): Diagnostic[] {
  const { scheme } = trigger;
  if (typeof scheme !== "string") return [];
  if (trigger["handshake"] === "zoom" && scheme !== "zoom") {
    const message = "trigger.handshake must not be zoom with another scheme: " +
      "its answer would sign deliveries for anybody";
    return [diagnose(file, ["trigger", "handshake"], { message, hint: "write scheme: zoom" })];
  }
  return Object.entries(SCHEMES_OF_FIELD).flatMap(([key, schemes]) => {
    if (trigger[key] == null || schemes.includes(scheme)) return [];
    return [diagnose(file, ["trigger", key], {
      severity: "warning",
      message: `trigger.${key} has no effect: the scheme ${scheme} defines it`,
      hint: `it belongs to scheme ${schemes.join(" or ")}`,
    }, "key")];
  });
}

function checkFilter(file: DiagnosedFile, filter: RawFields): Diagnostic[] {
  const at = ["trigger", "filter"];
  const events: unknown[] = Array.isArray(filter["events"]) ? filter["events"] : [];
  const fields = Object.entries(isJsonObject(filter["fields"]) ? filter["fields"] : {});
  return [
    ...events.flatMap((event, i) => checkPattern(file, [...at, "events", i], event)),
    ...fields.flatMap(([pointer, value]) => {
      const place = [...at, "fields", pointer];
      if (parsePointer(pointer) !== undefined && pointer !== "") {
        return checkPattern(file, place, value);
      }
      const message = "A key of trigger.filter.fields must be a JSON pointer";
      const hint = "for instance /repository/full_name";
      return [diagnose(file, place, { message, hint }, "key")];
    }),
  ];
}

function checkPattern(
  file: DiagnosedFile,
  at: (string | number)[],
  pattern: unknown,
): Diagnostic[] {
  const matcher = typeof pattern === "string" ? compileGlob(pattern, { dot: true }) : undefined;
  if (matcher === undefined || typeof matcher === "function") return [];
  return [diagnose(file, at, { message: `The pattern in ${at[1]}.${at[2]} ${matcher.reason}` })];
}

/** The values of WEBHOOK_FIELDS and of the fields that other kinds have, too. */
type WrittenWebhook = z.output<z.ZodObject<typeof WEBHOOK_FIELDS>> & { max_runs: number };

/** Converts the fields of a webhook trigger that passed the rules. */
export function toWebhook(trigger: WrittenWebhook): WebhookTrigger {
  const { scheme, header, encoding, filter, sync, dedupe, verify_token: verifyToken } = trigger;
  // checkWebhook() refuses a webhook without a scheme.
  if (scheme == null) throw new TypeError("A webhook has no scheme");
  const handshake = trigger.handshake ?? WEBHOOK_HANDSHAKES.find((one) => one === scheme);
  return {
    type: "webhook",
    scheme,
    secrets: [...new Set(trigger.secret ?? [])],
    ...(header == null ? {} : { header }),
    encoding,
    ...(trigger.in == null ? {} : { in: trigger.in }),
    ...(handshake === undefined ? {} : { handshake }),
    ...(verifyToken == null ? {} : { verifyToken }),
    filter: { events: filter.events, fields: filter.fields ?? {} },
    maxRuns: trigger.max_runs,
    ...(sync == null ? {} : { syncMs: sync }),
    ...(dedupe == null ? {} : { dedupeMs: dedupe }),
  };
}
