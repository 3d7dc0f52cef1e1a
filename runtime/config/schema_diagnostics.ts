// What a schema finds wrong with a document, all at once, each problem at its place. Knows no particular schema; the
// sentences are in issue_sentence.ts.
import type { z } from "zod";
import type { Diagnostic } from "../../base/diagnostics.ts";
import { suggest } from "../../base/text/suggestion.ts";
import { diagnose, type DiagnosedFile } from "./files/diagnosed_file.ts";
import { describeIssue, describeNumber, hintForIssue } from "./issue_sentence.ts";
import { formatPath, showValue } from "./shown_value.ts";
import { findNullNumbers, findUnknownKeys, placesOfKey, schemaAt } from "./written_schema.ts";

/** Errors and warnings shown of one file each: who has more has another problem than each of them. */
const MOST_OF_A_KIND = 100;

/**
 * Checks the document's value: what the schema makes of it (undefined when it does not fit) and every problem, with
 * unknown keys as warnings. A schema's own messages continue the sentence that the key begins: `must be ...`; with
 * `params: {hideValue: true}` the value is not repeated.
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
  const rule = describeIssue(issue, schemaAt(schema, issue.path));
  const hint = hintForIssue(issue, value);
  return diagnose(file, path, {
    message: `${name} ${rule}${got}`,
    ...(hint === undefined ? {} : { hint }),
  });
}

/** The value that an issue is about. A single text or map that stands for a list has no path of its own inside it. */
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
