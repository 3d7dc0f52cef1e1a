// Diagnostics of texts that people write: the position, the problem and the remedy. Used for agent, config and
// environment files.

/** The fact behind a diagnostic, for code that must not depend on its message. */
export type DiagnosticCode =
  | "missing_sandbox"
  | "unread_front_matter"
  | `missing_key:${string}`
  | `unusable_server:${string}`;

/** One problem at one position of one file. */
export interface Diagnostic {
  /** The file, by the name that the person knows. */
  path: string;
  /** 1-based. */
  line: number;
  /** 1-based, in UTF-16 code units. */
  column: number;
  severity: "error" | "warning";
  /** A sentence without the position. */
  message: string;
  /** The remedy. */
  hint?: string;
  code?: DiagnosticCode;
}

/** The end of a message about a setting that a running service cannot change. */
export const AT_NEXT_START = "it takes effect when the service starts again";

/** Returns a diagnostic of a whole file, at its beginning. */
export function errorAtStart(path: string, message: string): Diagnostic {
  return { path, line: 1, column: 1, severity: "error", message };
}

/** Returns the diagnostics with the errors first. The first error then says why a file cannot be used. */
export function errorsFirst<One extends Pick<Diagnostic, "severity">>(
  diagnostics: readonly One[],
): One[] {
  const rank = ({ severity }: One) => severity === "error" ? 0 : 1;
  return diagnostics.toSorted((a, b) => rank(a) - rank(b));
}

/** Formats `path:line:column: message (hint)`, the form that editors and terminals turn into links. */
export function formatDiagnostic(diagnostic: Diagnostic): string {
  const { path, line, column, message, hint } = diagnostic;
  return `${path}:${line}:${column}: ${message}${hint === undefined ? "" : ` (${hint})`}`;
}

/** Escapes control characters as JSON can, for a message that repeats a written text. JSON itself leaves some unescaped. */
export function escapeControls(text: string): string {
  return text.replaceAll(
    /\p{Cc}/gu,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
