// Defines diagnostics of texts that people write, such as agent, config and environment files: the position, the problem
// and the remedy.

/** The kind of a diagnostic, for code that must not depend on the message. */
export type DiagnosticCode =
  | "missing_sandbox"
  | "unread_front_matter"
  | `missing_key:${string}`
  | `sign_in_needed:${string}`
  | `unusable_server:${string}`;

/** A problem at a position in a file. */
export interface Diagnostic {
  /** The path of the file as the person knows it. */
  path: string;
  /** The line, beginning with 1. */
  line: number;
  /** The column in UTF-16 code units, beginning with 1. */
  column: number;
  severity: "error" | "warning";
  /** The problem as a sentence without its position. */
  message: string;
  /** The remedy, if there is one. */
  hint?: string;
  code?: DiagnosticCode;
}

/** The end of a message about a setting that a running service does not reload. */
export const AT_NEXT_START = "it takes effect when the service starts again";

/** Returns an error about a whole file, at the file's beginning. */
export function errorAtStart(path: string, message: string): Diagnostic {
  return { path, line: 1, column: 1, severity: "error", message };
}

/**
 * Returns the diagnostics with severity `error`. An agent whose file has errors may still run with the last valid version
 * of the file.
 */
export function errorsOf<One extends Pick<Diagnostic, "severity">>(
  diagnostics: readonly One[],
): One[] {
  return diagnostics.filter(({ severity }) => severity === "error");
}

/** Returns the diagnostics with the errors first, so that the first diagnostic says why a file cannot be used. */
export function errorsFirst<One extends Pick<Diagnostic, "severity">>(
  diagnostics: readonly One[],
): One[] {
  const rank = ({ severity }: One) => severity === "error" ? 0 : 1;
  return diagnostics.toSorted((a, b) => rank(a) - rank(b));
}

/** Returns `path:line:column: message (hint)`, which editors and terminals turn into links. */
export function formatDiagnostic(diagnostic: Diagnostic): string {
  const { path, line, column, message, hint } = diagnostic;
  return `${path}:${line}:${column}: ${message}${hint === undefined ? "" : ` (${hint})`}`;
}

/**
 * Escapes the control characters of a text that a message repeats, as JSON does. JSON.stringify() leaves some control
 * characters unescaped.
 */
export function escapeControls(text: string): string {
  return text.replaceAll(
    /\p{Cc}/gu,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
