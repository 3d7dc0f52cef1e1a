// The schemas of errors.
import { z } from "zod";

/** A problem of a request that does not match its schema. */
export const ValidationIssue = z.object({
  type: z.string(),
  loc: z.array(z.union([z.string(), z.int()])),
  msg: z.string(),
  input: z.unknown(),
}).meta({ id: "ValidationIssue" });
export type ValidationIssue = z.infer<typeof ValidationIssue>;

/** The response body of every refusal. */
export const ErrorBody = z.object({
  detail: z.union([z.string(), z.array(ValidationIssue)]),
}).meta({ id: "Error" });
export type ErrorBody = z.infer<typeof ErrorBody>;
