// Validates a document against a schema and reports all problems at once, each at its position. Independent of any
// particular schema.
import { z } from "zod";
import type { Diagnostic } from "../../base/diagnostics.ts";
import { suggest } from "../../base/text/suggestion.ts";
import { diagnose, type DiagnosedFile } from "./files/diagnosed_file.ts";
import { formatPath, listWords, showValue } from "./shown_value.ts";
import { parseDuration, writeDuration } from "../../base/durations.ts";
import type { YamlPath } from "./files/yaml_document.ts";

/** The most errors, and the most warnings, shown of one file. */
const MOST_OF_A_KIND = 100;

/**
 * Validates the document's value. Returns the parsed value (undefined when invalid) and every problem, with unknown
 * keys as warnings. A schema's own messages continue the sentence that the key begins: `must be ...`. With `params:
 * {hideValue: true}` the value is not repeated.
 */
export function checkSchema<Schema extends z.ZodType>(
  schema: Schema,
  file: DiagnosedFile,
): { value: z.output<Schema> | undefined; diagnostics: Diagnostic[] } {
  const unknown = findUnknownKeys(schema, file.document.value);
  const warnings = unknown.slice(0, MOST_OF_A_KIND).map(({ path, known }) => {
    const key = String(path.at(-1));
    const nearest = suggest(key, known);
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
 * Returns the issues of the intended alternative: the one of the value's kind that fails only further inside. If none
 * fits, the union's own message is used.
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

/** Returns the written value of an issue. A single text or map as a list of one has no path of its own inside it. */
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

/** Returns the rule that a value breaks, as `must be ...`. `schema`: the schema of the value as written. */
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

/** Returns the message for a value that is not a number. */
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

/** Returns a guess of the author's intention; undefined without one. */
function hintForIssue(issue: z.core.$ZodIssue, value: unknown): string | undefined {
  if (issue.code === "invalid_value" && typeof value === "string") {
    const nearest = suggest(value, issue.values.map(String));
    return nearest === undefined ? undefined : `did you mean "${nearest}"?`;
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

/** Returns the range of a number. The limits of all whole numbers are named only if the value exceeds one. */
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

/** A key that no schema contains, and the keys that may be meant. */
interface UnknownKey {
  path: YamlPath;
  known: string[];
}

/** Returns every unknown key inside a value, in its order. Values of unknown keys are not searched. */
function findUnknownKeys(schema: z.ZodType, value: unknown): UnknownKey[] {
  return unknownKeys(schema, value, []);
}

/** Returns the path of each null where a number is required. The schema treats null as absent. */
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

/** Returns the schema of the value at a path; undefined where the schema has none. */
function schemaAt(schema: z.ZodType, path: YamlPath): z.ZodType | undefined {
  let current: z.ZodType | undefined = schema;
  for (const key of path) {
    current = childSchema(unwrap(current, { isList: typeof key === "number" }), key);
  }
  return unwrap(current);
}

/**
 * Returns the paths of a key one level down, such as `settings.temperature`, synonyms first. Empty if several sections
 * have it.
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
  if (named.length > 1) return [];
  const meant = fields.filter(({ field }) => (field as z.ZodType).meta()?.["synonym"] === key);
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
  // A single value as a list of one.
  if (inner instanceof z.ZodArray) return unknownKeys(childSchema(inner, 0), value, path);
  return Object.entries(value).flatMap(([key, child]) => {
    const at = [...path, key];
    if (inner instanceof z.ZodObject && !Object.hasOwn(inner.shape, key)) {
      return [{ path: at, known: Object.keys(inner.shape) }];
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
 * Returns the schema of the value as written. Unwraps optional, nullable, default, transformations, and unions with a
 * map, or with a list when the value is one.
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
