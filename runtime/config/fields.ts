// Building blocks for the schemas of files that people write. A message continues a sentence that begins with the key.
import { isPersonName } from "../vocabulary/rights.ts";
import { z } from "zod";
import { parseDuration } from "../../base/durations.ts";
import { isTimeZone } from "./time_zone.ts";

// Do not compile schemas to functions: each start parses one config.yaml and a few agents, and compiling takes longer.
z.config({ jitless: true });

/** The maximum duration, a century. A longer one is a mistake, and would exceed the range of dates. */
const LONGEST_MS = 36_500 * 86_400_000;

/**
 * Returns an optional field. If its value is absent or empty, `fallback` is parsed instead. `fallback` has the notation of
 * the file, and is the default in the documentation.
 */
export function field<Schema extends z.ZodType>(
  schema: Schema,
  fallback: z.input<Schema>,
  description: string,
): z.ZodPreprocess<Schema> {
  return z.preprocess((value) => saysSomething(value, schema) ? value : fallback, schema)
    .meta({ ...schema.meta(), description, default: fallback });
}

/** Returns an optional field without a default. It is undefined when absent. */
export function optional<Schema extends z.ZodType>(
  schema: Schema,
): z.ZodPreprocess<z.ZodOptional<Schema>> {
  return z.preprocess(
    (value) => saysSomething(value, schema) ? value : undefined,
    schema.optional(),
  );
}

/**
 * Returns the fields without their defaults, for fields whose default comes from elsewhere. Absent values are undefined.
 * The fields keep their documentation.
 */
export function withoutDefaults<Shape extends Record<string, z.ZodPreprocess>>(
  shape: Shape,
): { [Name in keyof Shape]: z.ZodType<z.output<Shape[Name]> | undefined> } {
  const fields = Object.entries(shape).map(([name, whole]) => [
    name,
    optional(whole.out as z.ZodType).meta(whole.meta() ?? {}),
  ]);
  return Object.fromEntries(fields);
}

/** Returns the schema of a map of fields. An absent or empty map has all defaults. */
export function section<Shape extends z.ZodRawShape>(
  shape: Shape,
): z.ZodPreprocess<z.ZodObject<Shape>> {
  return z.preprocess((value) => value ?? {}, z.object(shape));
}

function saysSomething(value: unknown, schema: z.ZodType): boolean {
  // isNullable() parses a value. So only a null pays for it, and not each start for every field.
  return value !== undefined && (value !== null || schema.isNullable());
}

/** The name of a person or key. It is not the name of a role, because `approvers` lists both. */
export const personName = z.string().refine(
  isPersonName,
  "must be 1 to 60 visible characters without spaces at the ends, and not the name of a role",
);

/** A text that is not blank. */
export const filledText = z.string().refine((text) => text.trim() !== "", "must not be empty");

/** The path of a file or folder. */
export const pathText = filledText.refine(
  (text) => !text.includes("\0"),
  "must not hold a NUL character",
);

/** An IANA time zone name. */
export const zoneName = filledText.refine(
  (name) => name.trim() === "" || isTimeZone(name),
  "must be a time zone such as Europe/Paris",
);

/** The name of a variable. Messages omit the value, because a user may have entered the key itself by mistake. */
export const variableName = z.string().superRefine((text, context) => {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(text) && !/^(sk|tk|whsec)[-_]/.test(text)) return;
  const message = "must be the name of an environment variable, not a key";
  context.addIssue({ code: "custom", message, params: { hideValue: true } });
});

/** A list of texts that are not blank. */
export const textList = z.array(filledText);

/** Returns the schema of a list, which may also be written as a single item. */
export const oneOrMore = <Item extends z.ZodType>(
  item: Item,
): z.ZodPreprocess<z.ZodArray<Item>> =>
  z.preprocess((value) => typeof value === "string" ? [value] : value, z.array(item));

/** A label: a capability of a node that agents may require. */
export const nodeLabel = z.string().regex(
  /^[a-z0-9-]+$/,
  "must be made of small letters, digits and -",
);

/** Returns the schema of a number that also accepts `none` and null for "no limit". */
function orNone<Schema extends z.ZodNumber>(
  schema: Schema,
): z.ZodPreprocess<z.ZodNullable<Schema>> {
  return z.preprocess((value) => value === "none" ? null : value, schema.nullable());
}

/** Returns the milliseconds of a duration text, or undefined if it is invalid. The largest unit in files is `d`. */
function readDuration(text: string): number | undefined {
  return text.includes("w") ? undefined : parseDuration(text);
}

/** Returns the schema of a value that `read` converts to a number from `least` to `most`, or to null. */
function measure<Measure extends number | null>(
  read: (value: unknown) => Measure | undefined,
  { least = 1, most, rule, values, hasUnit = true }: {
    least?: number;
    most: number;
    rule: string;
    values: string;
    /** False if a number without a unit is valid. */
    hasUnit?: boolean;
  },
): z.ZodPipe<z.ZodUnknown, z.ZodTransform<Measure, unknown>> {
  return z.unknown().transform((value, context) => {
    const found = read(value);
    if (found === null || found !== undefined && found >= least && found <= most) return found;
    context.addIssue({ code: "custom", message: `must be ${rule}`, params: { hasUnit } });
    return z.NEVER;
  }).meta({ values });
}

const readWritten = (value: unknown) => typeof value === "string" ? readDuration(value) : undefined;

/** A duration, converted to milliseconds; null for `none`. */
export const durationOrNone = measure((value) => value === "none" ? null : readWritten(value), {
  most: LONGEST_MS,
  rule: "a duration such as 30s, 5m, 2h or 1d, or none",
  values: "duration or `none`",
});

/** A duration of up to a day, converted to milliseconds. */
export const waitDuration = measure(readWritten, {
  most: 86_400_000,
  rule: "a duration such as 30s or 5m, up to 1d",
  values: "duration",
});

/**
 * A duration of whole seconds, as a number or text, converted to seconds; null for `none`. The maximum, a week, is
 * supported by every timer.
 */
export const secondsOrNone = measure((value) => {
  if (value === "none" || value === null) return null;
  const seconds = typeof value === "number" ? value : (readWritten(value) ?? 0) / 1_000;
  return Number.isInteger(seconds) ? seconds : undefined;
}, {
  most: 604_800,
  rule: "whole seconds or a duration such as 10m, up to 7d, or none",
  values: "whole seconds, duration or `none`",
  hasUnit: false,
});

/** An interval of at least one second. The value stays the written text. */
export const interval = z.preprocess(
  (value) => typeof value === "number" ? String(value) : value,
  z.string().superRefine((text, context) => {
    const ms = readDuration(text);
    if (ms !== undefined && ms >= 1_000 && ms <= LONGEST_MS) return;
    const message = "must be an interval of at least one second such as 30s, 5m, 1h30m or 1d";
    context.addIssue({ code: "custom", message, params: { hasUnit: true } });
  }),
);

/** A count of at least one, or none. */
export const countLimit = orNone(z.int().min(1));

/** US dollars above zero, or none. */
export const costLimit = orNone(z.number().positive());

/** The address of a provider. It must not contain a key, because people and models see these files. */
export const baseUrl = z.string().superRefine((text, context) => {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    context.addIssue({ code: "custom", message: "must be an http or https address" });
  } else if (url.username !== "" || url.password !== "") {
    const message = "must not hold a user name or password";
    context.addIssue({ code: "custom", message, params: { hideValue: true } });
  } else if (url.search !== "" || url.hash !== "") {
    const message = "must end with its path, without ? or #";
    context.addIssue({ code: "custom", message, params: { hideValue: true } });
  }
});

/** Returns the schema of a duration from `least` to `most` milliseconds, in which weeks are allowed, too. */
export const durationBetween = (
  least: number,
  most: number,
  rule: string,
): ReturnType<typeof measure<number>> =>
  measure((value) => typeof value === "string" ? parseDuration(value) : undefined, {
    ...{ least, most, rule },
    values: "duration",
    hasUnit: false,
  });

/** A number of seconds or a duration text of up to a day, converted to milliseconds. */
export const debounce = measure((value) => {
  if (typeof value === "number") return Math.round(value * 1_000);
  return typeof value === "string" ? parseDuration(value) : undefined;
}, {
  least: 0,
  most: 86_400_000,
  rule: "a number of seconds or a duration such as 2s or 500ms, up to a day",
  values: "number or duration",
  hasUnit: false,
});

/** The name of a channel of messages, or of a chat, which is a channel, too. */
export const channelName = z.string().regex(
  /^[A-Za-z0-9_-]{1,40}$/,
  "must be 1 to 40 letters, digits, - and _",
);
