// Defines the fields of a webhook trigger, checks the rules between them, and converts them.
import { z } from "zod";
import { durationBetween, field, section, textList, variableName } from "../../config/fields.ts";
import { diagnose, type DiagnosedFile } from "../../config/files/diagnosed_file.ts";
import type { Diagnostic } from "../../../base/diagnostics.ts";
import { compileGlob } from "../../../base/files/glob.ts";
import { objectIn } from "../../../base/json.ts";
import { parsePointer } from "../../../base/text/json_pointer.ts";
import { DAY_MS } from "../../../base/time_units.ts";
import {
  SCHEME_FORMS,
  SIGNATURE_ENCODINGS,
  TOKEN_PLACES,
  WEBHOOK_HANDSHAKES,
  WEBHOOK_SCHEMES,
} from "../../vocabulary/trigger_kinds.ts";

/** The schema of one name of an environment variable, or of several. */
const variableNames = z.preprocess(
  (value) => typeof value === "string" ? [value] : value,
  z.array(variableName).min(1),
);

const headerName = z.string().regex(/^[A-Za-z0-9-]{1,100}$/, "must be the name of a header");

const MAX_SYNC_MS = 300_000;

const syncTime = durationBetween(
  1_000,
  MAX_SYNC_MS,
  "a duration such as 10s or 1m, from a second to five minutes",
);

const fieldValues = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean(), z.null()], {
    error: "must be a text, a number, true, false or null",
  }),
);

const dedupeTime = durationBetween(
  0,
  DAY_MS,
  "a duration such as 60s or 1h, at most a day, or 0s",
);

/** The schemas of the fields of `trigger` that only a webhook has. */
const WEBHOOK_FIELDS = {
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
function checkWebhook(file: DiagnosedFile, trigger: RawFields): Diagnostic[] {
  return [
    ...checkRequired(file, trigger),
    ...checkScheme(file, trigger),
    ...checkFilter(file, objectIn(trigger, "filter")),
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
    // A handshake of Meta needs its verify token with every scheme.
    if (key === "verify_token" && trigger["handshake"] === "meta") return [];
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
  const fields = Object.entries(objectIn(filter, "fields"));
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
function toWebhook(trigger: WrittenWebhook) {
  const { scheme, header, encoding, filter, sync, dedupe, verify_token: verifyToken } = trigger;
  // checkWebhook() refuses a webhook without a scheme.
  if (scheme == null) throw new TypeError("A webhook has no scheme");
  const handshake = trigger.handshake ?? WEBHOOK_HANDSHAKES.find((one) => one === scheme);
  return {
    type: "webhook" as const,
    scheme,
    /** The names of the environment variables with the secrets. A delivery may be signed with any of them. */
    secrets: [...new Set(trigger.secret ?? [])],
    // The header with the signature or token of the schemes `hmac` and `token`. The scheme's default if it is absent.
    ...(header == null ? {} : { header }),
    encoding,
    // The part of the request that contains the token. A header if it is absent.
    ...(trigger.in == null ? {} : { in: trigger.in }),
    // The sender whose verification requests are answered.
    ...(handshake === undefined ? {} : { handshake }),
    // The environment variable with the token that Meta sends to verify the address. One of the secrets if it is absent.
    ...(verifyToken == null ? {} : { verifyToken }),
    /** The patterns for the event's name (any event if empty), and the required value at each JSON pointer of the body. */
    filter: { events: filter.events, fields: filter.fields ?? {} },
    /** The maximum number of runs that start within ten minutes; one more stops the trigger. */
    maxRuns: trigger.max_runs,
    // The time in milliseconds that the sender waits for the answer. It does not wait if the time is absent.
    ...(sync == null ? {} : { syncMs: sync }),
    // The time in milliseconds in which an equal body without an id is the same delivery. One minute if it is absent.
    ...(dedupe == null ? {} : { dedupeMs: dedupe }),
  };
}

/** Starts the agent when an authenticated HTTP delivery arrives: the fields, the rules and the conversion. */
export const WEBHOOK = {
  fields: WEBHOOK_FIELDS,
  check: checkWebhook,
  convert: toWebhook,
  secrets: ({ secrets, verifyToken }: ReturnType<typeof toWebhook>) =>
    [secrets, verifyToken ?? []].flat(),
};
