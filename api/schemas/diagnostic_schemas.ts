// The schemas of problems in files that people write.
import { z } from "zod";
import type { Diagnostic } from "../../base/diagnostics.ts";
import type { Source } from "./wire.ts";

/** A problem in a file that a person wrote. */
export const DiagnosticBody = z.object({
  path: z.string(),
  line: z.int(),
  column: z.int(),
  severity: z.enum(["error", "warning"]),
  message: z.string(),
  hint: z.string().nullable(),
}).meta({ id: "Diagnostic" });
export type DiagnosticBody = z.infer<typeof DiagnosticBody>;

/** A file in the agents directory with its problems: errors if the file has never been valid, otherwise warnings. */
export const AgentErrorBody = z.object({
  id: z.string(),
  path: z.string(),
  diagnostics: z.array(DiagnosticBody),
}).meta({ id: "AgentError" });
export type AgentErrorBody = z.infer<typeof AgentErrorBody>;

/** Converts a problem in a file to a source for toWire(). */
export function toDiagnostic(diagnostic: Diagnostic): Source<typeof DiagnosticBody> {
  return { ...diagnostic, hint: diagnostic.hint };
}
