// Selects the errors among the problems of a file.
import type { DiagnosticBody } from "../api/schemas/diagnostic_schemas.ts";

/**
 * Returns the diagnostics with severity `error`. An agent whose file has errors may still run with the last valid version
 * of the file.
 */
export function errorsOf(diagnostics: readonly DiagnosticBody[]): DiagnosticBody[] {
  return diagnostics.filter(({ severity }) => severity === "error");
}
