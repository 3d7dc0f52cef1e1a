// What is wrong with one value, as the end of a sentence that the value's path begins, and what to do about it.
import { z } from "zod";
import { parseDuration, writeDuration } from "../../base/durations.ts";
import { suggest } from "../../base/text/suggestion.ts";
import { listWords } from "./shown_value.ts";

/** `must be ...`: the rule that a value breaks. `schema` is that of the value as it is written. */
export function describeIssue(
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

/** That a number must be one. */
export function describeNumber(schema: z.ZodType | undefined): string {
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

/** What somebody who wrote this value likely meant; undefined where nobody can tell. */
export function hintForIssue(issue: z.core.$ZodIssue, value: unknown): string | undefined {
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

/** What a number may be. The ends that every whole number has are told only to whoever went beyond one. */
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
