// What a schema finds wrong with a request, as the body of a 422 lists it.
import type { z } from "zod";
import { cutEnd } from "../../base/text/cut_text.ts";
import type { ValidationIssue } from "../schemas/error_schemas.ts";

/** The most characters of an input that are repeated. */
const MAX_INPUT_SHOWN = 500;

/** Every problem, with its place below `location` (`body`, `query`, ...). */
export function toValidationIssues(error: z.ZodError, location: string): ValidationIssue[] {
  return error.issues.flatMap((issue) => toIssues(issue, [location]));
}

/** A union gives its alternatives, then what is wrong with the one that is meant. */
function toIssues(
  issue: z.core.$ZodIssue,
  parent: readonly (string | number)[],
): ValidationIssue[] {
  const loc = [
    ...parent,
    ...issue.path.map((part) => typeof part === "number" ? part : String(part)),
  ];
  const told = { type: issue.code, loc, msg: issue.message, input: toShown(issue.input) };
  if (issue.code !== "invalid_union") return [told];
  return [told, ...meantAlternative(issue.errors).flatMap((inner) => toIssues(inner, loc))];
}

/** The issues of the only alternative that has every key of the value and fails further inside; none for no such one. */
function meantAlternative(alternatives: readonly z.core.$ZodIssue[][]): z.core.$ZodIssue[] {
  const [meant = [], ...others] = alternatives.filter((issues) =>
    issues.every((one) => one.path.length > 0)
  );
  return others.length === 0 ? meant : [];
}

function toShown(input: unknown): unknown {
  const text = JSON.stringify(input) ?? "null";
  return text.length <= MAX_INPUT_SHOWN ? input ?? null : cutEnd(text, MAX_INPUT_SHOWN);
}
