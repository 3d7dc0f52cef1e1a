// What a schema finds wrong with a value, as sentences for the person who wrote it. Knows no particular schema.
import { z } from "zod";
import { type Diagnostic, escapeControls } from "../diagnostics.ts";
import { suggest } from "../suggestion.ts";
import type { Position, YamlDocument, YamlPath } from "./yaml_document.ts";
import { showKey } from "./yaml_values.ts";

/** Errors and warnings shown of one file each: who has more has another problem than each of them. */
const MOST_OF_A_KIND = 100;

/** A file under diagnosis: its name and where its values stand. */
export interface DiagnosedFile {
  path: string;
  document: YamlDocument;
}

/** `settings.temperature`, `skills[0]`. */
export function formatPath(path: YamlPath): string {
  return path.map((part, i) => {
    if (typeof part === "number") return `[${part}]`;
    return `${i === 0 ? "" : "."}${showKey(String(part))}`;
  }).join("");
}

/** A value as a sentence shows it: JSON, cut to a readable length. */
export function showValue(value: unknown): string {
  if (typeof value === "number") return String(value);
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

/** One problem at a place of the document. */
export function diagnose(
  file: DiagnosedFile,
  at: YamlPath | Position,
  problem: { message: string; hint?: string; severity?: Diagnostic["severity"] },
  part: "key" | "value" = "value",
): Diagnostic {
  const { severity = "error", message, hint } = problem;
  const place = "line" in at ? at : file.document.locate(at, part);
  return {
    path: file.path,
    line: place.line,
    column: place.column,
    severity,
    message: escapeControls(message),
    ...(hint === undefined ? {} : { hint }),
  };
}

/**
 * Checks the document's value: what the schema makes of it (undefined when it does not fit) and every problem, with
 * unknown keys as warnings. A schema's own messages continue the sentence that the key begins: `must be ...`; with
 * `params: {hideValue: true}` the value is not repeated.
 */
export function checkSchema<Schema extends z.ZodType>(
  schema: Schema,
  file: DiagnosedFile,
): { value: z.output<Schema> | undefined; diagnostics: Diagnostic[] } {
  const unknown = unknownKeys(schema, file.document.value, []);
  const warnings = unknown.slice(0, MOST_OF_A_KIND).map(({ path, known }) => {
    const nearest = suggest(String(path.at(-1)), known);
    return diagnose(file, path, {
      severity: "warning",
      message: `Unknown key ${formatPath(path)}: it is ignored`,
      ...(nearest === undefined ? {} : { hint: `did you mean "${nearest}"?` }),
    }, "key");
  });
  const result = schema.safeParse(file.document.value);
  if (result.success) return { value: result.data, diagnostics: warnings };
  const issues = result.error.issues.flatMap((issue) => expandUnion(issue, []));
  const errors = issues.slice(0, MOST_OF_A_KIND).map((issue) => explain(issue, schema, file));
  return { value: undefined, diagnostics: [...warnings, ...errors] };
}

/**
 * The issues of the alternative that a value means: the one whose kind fits and that only fails further inside. Where
 * none fits, the union's own message speaks for all.
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
  const rule = describe(issue, schemaAt(schema, issue.path));
  const hint = hintFor(issue, value);
  return diagnose(file, path, {
    message: `${name} ${rule}${got}`,
    ...(hint === undefined ? {} : { hint }),
  });
}

/** The value that an issue is about. A single text that stands for a list has no path of its own inside it. */
function writtenAt(
  issuePath: readonly PropertyKey[],
  root: unknown,
): { path: PropertyKey[]; value: unknown } {
  const path: PropertyKey[] = [];
  let value = root;
  for (const key of issuePath) {
    if (typeof value !== "object" || value === null) break;
    path.push(key);
    value = Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
  }
  return { path, value };
}

function describe(issue: z.core.$ZodIssue, schema: z.ZodType | undefined): string {
  switch (issue.code) {
    case "invalid_type":
      if (schema instanceof z.ZodNumber && schema.isInt) return "must be a whole number";
      return `must be ${EXPECTED[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `must be ${listWords(issue.values.map(String))}`;
    case "too_small":
    case "too_big":
      if (issue.code === "too_small" && issue.inclusive === false) {
        return `must be more than ${issue.minimum}`;
      }
      if (issue.origin === "number" || issue.origin === "int") return describeRange(schema);
      return issue.code === "too_small" ? "must not be empty" : `is longer than ${issue.maximum}`;
    default:
      return issue.message;
  }
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

function hintFor(issue: z.core.$ZodIssue, value: unknown): string | undefined {
  if (issue.code === "invalid_value" && typeof value === "string") {
    const nearest = suggest(value, issue.values.map(String));
    return nearest === undefined ? undefined : `did you mean "${nearest}"?`;
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

function describeRange(schema: z.ZodType | undefined): string {
  if (!(schema instanceof z.ZodNumber)) return "is out of range";
  const { minValue, maxValue } = schema;
  const min = minValue !== null && minValue > Number.MIN_SAFE_INTEGER ? minValue : undefined;
  const max = maxValue !== null && maxValue < Number.MAX_SAFE_INTEGER ? maxValue : undefined;
  if (min !== undefined && max !== undefined) return `must be between ${min} and ${max}`;
  if (min !== undefined) return min === 0 ? "must not be negative" : `must be at least ${min}`;
  return max === undefined ? "is out of range" : `must be at most ${max}`;
}

/** `a, b or c`. */
export function listWords(words: readonly string[]): string {
  const last = words.at(-1) ?? "";
  return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} or ${last}`;
}

function unknownKeys(
  schema: z.ZodType | undefined,
  value: unknown,
  path: YamlPath,
): { path: YamlPath; known: string[] }[] {
  const inner = unwrap(schema);
  if (Array.isArray(value)) {
    return value.flatMap((item, i) => unknownKeys(childSchema(inner, i), item, [...path, i]));
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => {
    const at = [...path, key];
    if (inner instanceof z.ZodObject && !Object.hasOwn(inner.shape, key)) {
      return [{ path: at, known: Object.keys(inner.shape) }];
    }
    return unknownKeys(childSchema(inner, key), child, at);
  });
}

function schemaAt(schema: z.ZodType, path: YamlPath): z.ZodType | undefined {
  let current = unwrap(schema);
  for (const key of path) current = unwrap(childSchema(current, key));
  return current;
}

function childSchema(schema: z.ZodType | undefined, key: PropertyKey): z.ZodType | undefined {
  if (schema instanceof z.ZodObject) return schema.shape[String(key)];
  if (schema instanceof z.ZodRecord) return schema.valueType as z.ZodType;
  if (schema instanceof z.ZodArray) return schema.element as z.ZodType;
  return undefined;
}

/** The schema of the value as it is written: behind optional, nullable, default, transformations and unions with a map. */
function unwrap(schema: z.ZodType | undefined): z.ZodType | undefined {
  if (
    schema instanceof z.ZodOptional || schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault
  ) return unwrap(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodPipe) {
    const written = schema.in instanceof z.ZodTransform ? schema.out : schema.in;
    return unwrap(written as z.ZodType);
  }
  if (schema instanceof z.ZodUnion) {
    const options = (schema.options as readonly z.ZodType[]).map(unwrap);
    return options.find((one) => one instanceof z.ZodObject || one instanceof z.ZodRecord);
  }
  return schema;
}
