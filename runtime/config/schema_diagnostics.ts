// Validates a document against a schema and reports all problems at once, each with its position. Works with any schema.
import { z } from "zod";
import type { Diagnostic } from "../../base/diagnostics.ts";
import { suggest } from "../../base/text/suggestion.ts";
import { diagnose, type DiagnosedFile } from "./files/diagnosed_file.ts";
import { formatPath, listWords, showValue } from "./files/shown_value.ts";
import { parseDuration, writeDuration } from "../../base/durations.ts";
import type { YamlPath } from "./files/yaml_document.ts";

/** The maximum number of errors, and of warnings, that are reported for one file. */
const MOST_OF_A_KIND = 100;

/**
 * Validates the value of a document. Returns the parsed value (undefined if it is invalid) and all problems, with unknown
 * keys as warnings. Messages in a schema continue a sentence that begins with the key: `must be ...`. With `params:
 * {hideValue: true}`, a message omits the value.
 */
export function checkSchema<Schema extends z.ZodType>(
  schema: Schema,
  file: DiagnosedFile,
): { value: z.output<Schema> | undefined; diagnostics: Diagnostic[] } {
  const unknown = findUnknownKeys(schema, file.document.value);
  const warnings = unknown.slice(0, MOST_OF_A_KIND).map(({ path, known }) => {
    const key = String(path.at(-1));
    const names = Object.keys(known);
    const nearest = names.find((name) => hasSynonym(known[name], key)) ?? suggest(key, names);
    const meant = nearest === undefined ? placesOfKey(schema, key) : [nearest];
    return diagnose(file, path, {
      severity: "warning",
      message: `Unknown key ${formatPath(path)}: it is ignored`,
      ...(meant.length === 0 ? {} : { hint: `did you mean "${meant.join('" or "')}"?` }),
    }, "key");
  });
  const nulls = findNullNumbers(schema, file.document.value)
    .filter((path) => file.document.isWrittenNull(path))
    .map((path) => {
      const rule = describeNumber(schemaAt(schema, path));
      const message = `${formatPath(path)} ${rule}, got null`;
      return diagnose(file, path, { message, hint: "leave it out for the default" });
    });
  const result = schema.safeParse(file.document.value);
  if (result.success && nulls.length === 0) return { value: result.data, diagnostics: warnings };
  const issues = result.error?.issues.flatMap((issue) => expandUnion(issue, [])) ?? [];
  const found = issues.slice(0, MOST_OF_A_KIND).map((issue) => explain(issue, schema, file));
  const errors = [...nulls, ...found];
  return { value: undefined, diagnostics: [...warnings, ...errors] };
}

/**
 * Returns the issues of the alternative of a union that the author most likely meant: the one of the same type, whose
 * errors are further inside. Without one, the issue has the union's own message.
 */
function expandUnion(issue: z.core.$ZodIssue, prefix: PropertyKey[]): z.core.$ZodIssue[] {
  const path = [...prefix, ...issue.path];
  if (issue.code !== "invalid_union") return [{ ...issue, path }];
  const meant = issue.errors.find((alternative) =>
    alternative.length > 0 &&
    alternative.every((inner) =>
      inner.path.length > 0 || (inner.code !== "invalid_type" && inner.code !== "invalid_value")
    )
  );
  if (meant === undefined) return [{ ...issue, path }];
  return meant.flatMap((inner) => expandUnion(inner, path));
}

function explain(issue: z.core.$ZodIssue, schema: z.ZodType, file: DiagnosedFile): Diagnostic {
  const { path, value } = writtenAt(issue.path, file.document.value);
  const name = formatPath(path);
  if (value === undefined) return diagnose(file, path, { message: `${name} is missing` });
  const hidden = issue.code === "custom" && issue.params?.["hideValue"] === true;
  const got = hidden ? "" : value === null ? ", got nothing" : `, got ${showValue(value)}`;
  const rule = describeIssue(issue, schemaAt(schema, issue.path));
  const hint = hintForIssue(issue, value);
  return diagnose(file, path, {
    message: `${name} ${rule}${got}`,
    ...(hint === undefined ? {} : { hint }),
  });
}

/**
 * Returns the value in the file to which an issue belongs. If a single text or map is parsed as a list with one item, the
 * path to that item does not exist in the file.
 */
function writtenAt(
  issuePath: readonly PropertyKey[],
  root: unknown,
): { path: PropertyKey[]; value: unknown } {
  const path: PropertyKey[] = [];
  let value = root;
  for (const key of issuePath) {
    if (typeof value !== "object" || value === null) break;
    if (typeof key === "number" && !Array.isArray(value)) continue;
    path.push(key);
    value = Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
  }
  return { path, value };
}

/** Returns the rule that a value breaks, as `must be ...`. `schema` is the schema of the value in the file. */
function describeIssue(
  issue: z.core.$ZodIssue,
  schema: z.ZodType | undefined,
): string {
  switch (issue.code) {
    case "invalid_type":
      if (schema instanceof z.ZodNumber) return describeNumber(schema);
      return `must be ${EXPECTED[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `must be ${listWords(issue.values.map(String))}`;
    case "too_small":
    case "too_big":
      if (issue.code === "too_small" && issue.inclusive === false) {
        return `must be more than ${issue.minimum}`;
      }
      if (issue.origin === "number" || issue.origin === "int") return describeRange(schema, issue);
      return issue.code === "too_small" ? "must not be empty" : `is longer than ${issue.maximum}`;
    case "invalid_key":
      return `has a name that ${issue.issues[0]?.message ?? "is not possible"}`;
    default:
      return issue.message;
  }
}

/** Returns the rule that a value breaks because it is not a number. */
function describeNumber(schema: z.ZodType | undefined): string {
  const isWhole = schema instanceof z.ZodNumber && schema.isInt;
  return isWhole ? "must be a whole number" : "must be a number";
}

const EXPECTED: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a map of keys and values",
  record: "a map of keys and values",
};

/** Returns a hint about what the author probably meant, or undefined. */
function hintForIssue(issue: z.core.$ZodIssue, value: unknown): string | undefined {
  if (issue.code === "invalid_value" && typeof value === "string") {
    if (value === "after" && issue.values.includes("webhook")) {
      return 'the key "after" beside "trigger" does that: after: other_agent';
    }
    const nearest = suggest(value, issue.values.map(String));
    return nearest === undefined ? undefined : `did you mean "${nearest}"?`;
  }
  if (issue.code === "custom" && issue.params?.["hasUnit"] && /^[1-9]\d*$/.test(String(value))) {
    return `add a unit: ${value}s or ${value}m`;
  }
  if (issue.code === "custom" && typeof value === "string" && value.includes("w")) {
    const ms = parseDuration(value);
    return ms === undefined ? undefined : `write weeks as days: ${writeDuration(ms)}`;
  }
  if (issue.code !== "invalid_type") return undefined;
  if (issue.expected === "string" && (typeof value === "number" || typeof value === "boolean")) {
    return `put it in quotes: "${value}"`;
  }
  if (typeof value === "string" && /^(yes|no|on|off|true|false)$/i.test(value)) {
    return issue.expected === "boolean" ? "write true or false, without quotes" : undefined;
  }
  return undefined;
}

/**
 * Returns the allowed range of a number. The limits of whole numbers are mentioned only if the value exceeds one of them.
 */
function describeRange(
  schema: z.ZodType | undefined,
  issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig,
): string {
  if (!(schema instanceof z.ZodNumber)) return "is out of range";
  const { minValue, maxValue } = schema;
  const isTold = (end: number | null, own: boolean): end is number =>
    end !== null && (own || Math.abs(end) < Number.MAX_SAFE_INTEGER);
  const min = isTold(minValue, issue.code === "too_small") ? minValue : undefined;
  const max = isTold(maxValue, issue.code === "too_big") ? maxValue : undefined;
  if (min !== undefined && max !== undefined) return `must be between ${min} and ${max}`;
  if (min !== undefined) return min === 0 ? "must not be negative" : `must be at least ${min}`;
  return max === undefined ? "is out of range" : `must be at most ${max}`;
}

/** A key that the schema does not have, and the fields of the schema at that place. */
interface UnknownKey {
  path: YamlPath;
  known: Readonly<z.ZodRawShape>;
}

/** Returns true if a field is meant by this other name. */
function hasSynonym(field: z.core.$ZodType | undefined, key: string): boolean {
  return (field as z.ZodType | undefined)?.meta()?.["synonym"] === key;
}

/** Returns all unknown keys inside a value, in its order. Does not search the values of unknown keys. */
function findUnknownKeys(schema: z.ZodType, value: unknown): UnknownKey[] {
  return unknownKeys(schema, value, []);
}

/** Returns the path of each null in place of a number. Needed because the schema treats null as absent. */
function findNullNumbers(
  schema: z.ZodType,
  value: unknown,
  path: YamlPath = [],
): YamlPath[] {
  const inner = unwrap(schema);
  if (!(inner instanceof z.ZodObject) || typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => {
    const field = childSchema(inner, key);
    if (field === undefined) return [];
    const at = [...path, key];
    if (child !== null) return findNullNumbers(field, child, at);
    const isDefaulted = field instanceof z.ZodPipe && !(field.out as z.ZodType).isNullable();
    return isDefaulted && unwrap(field) instanceof z.ZodNumber ? [at] : [];
  });
}

/** Returns the schema of the value at a path, or undefined if the schema has no such path. */
function schemaAt(schema: z.ZodType, path: YamlPath): z.ZodType | undefined {
  let current: z.ZodType | undefined = schema;
  for (const key of path) {
    current = childSchema(unwrap(current, { isList: typeof key === "number" }), key);
  }
  return unwrap(current);
}

/**
 * Returns the paths of a key one level further inside, such as `settings.temperature`, synonyms first. Returns an empty
 * list if several sections have the key.
 */
function placesOfKey(schema: z.ZodType, key: string): string[] {
  const root = unwrap(schema);
  if (!(root instanceof z.ZodObject)) return [];
  const fields = Object.keys(root.shape).flatMap((section) => {
    const inner = unwrap(childSchema(root, section));
    if (!(inner instanceof z.ZodObject)) return [];
    return Object.entries(inner.shape).map(([name, field]) => ({ section, name, field }));
  });
  const named = fields.filter(({ name }) => name === key);
  const meant = fields.filter(({ field }) => hasSynonym(field, key));
  if (named.length > 1 && meant.length === 0) return [];
  return [...meant, ...named].map(({ section, name }) => `${section}.${name}`);
}

function unknownKeys(
  schema: z.ZodType | undefined,
  value: unknown,
  path: YamlPath,
): UnknownKey[] {
  const inner = unwrap(schema, { isList: Array.isArray(value) });
  if (Array.isArray(value)) {
    return value.flatMap((item, i) => unknownKeys(childSchema(inner, i), item, [...path, i]));
  }
  if (typeof value !== "object" || value === null) return [];
  // The single value is parsed as a list with one item.
  if (inner instanceof z.ZodArray) return unknownKeys(childSchema(inner, 0), value, path);
  return Object.entries(value).flatMap(([key, child]) => {
    const at = [...path, key];
    if (inner instanceof z.ZodObject && !Object.hasOwn(inner.shape, key)) {
      return [{ path: at, known: inner.shape }];
    }
    return unknownKeys(childSchema(inner, key), child, at);
  });
}

function childSchema(schema: z.ZodType | undefined, key: PropertyKey): z.ZodType | undefined {
  if (schema instanceof z.ZodObject) return schema.shape[String(key)];
  if (schema instanceof z.ZodRecord) return schema.valueType as z.ZodType;
  if (schema instanceof z.ZodArray) return schema.element as z.ZodType;
  return undefined;
}

/**
 * Returns the schema of the value in the file. Unwraps optional, nullable, default, transformations, and unions with a map,
 * or with a list if the value is one.
 */
function unwrap(
  schema: z.ZodType | undefined,
  written: { isList: boolean } = { isList: false },
): z.ZodType | undefined {
  if (
    schema instanceof z.ZodOptional || schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault
  ) return unwrap(schema.unwrap() as z.ZodType, written);
  if (schema instanceof z.ZodPipe) {
    const side = schema.in instanceof z.ZodTransform ? schema.out : schema.in;
    return unwrap(side as z.ZodType, written);
  }
  if (schema instanceof z.ZodUnion) {
    const options = (schema.options as readonly z.ZodType[]).map((one) => unwrap(one, written));
    return options.find((one) =>
      written.isList
        ? one instanceof z.ZodArray
        : one instanceof z.ZodObject || one instanceof z.ZodRecord
    );
  }
  return schema;
}
