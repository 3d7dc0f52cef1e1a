// What is wrong with a text a person wrote: where, what, and what to do. Agent files, config and environment files use it.

/** The fact behind a diagnostic, for code that must not depend on its message. */
export type DiagnosticCode =
  | "missing_sandbox"
  | "unread_front_matter"
  | `missing_key:${string}`
  | `unusable_server:${string}`;

/** One problem in one place of one file. */
export interface Diagnostic {
  /** The file, as the person knows it. */
  path: string;
  /** 1-based. */
  line: number;
  /** 1-based, in UTF-16 code units. */
  column: number;
  severity: "error" | "warning";
  /** A sentence without the place. */
  message: string;
  /** What to do about it. */
  hint?: string;
  code?: DiagnosticCode;
}

/** How the message of a setting ends that a running service cannot take over. */
export const AT_NEXT_START = "it takes effect when the service starts again";

/** What is wrong with a file as a whole, told at its beginning. */
export function errorAtStart(path: string, message: string): Diagnostic {
  return { path, line: 1, column: 1, severity: "error", message };
}

/** The diagnostics with the errors first, otherwise in their order: the first one says why a file cannot be used. */
export function errorsFirst<One extends Pick<Diagnostic, "severity">>(
  diagnostics: readonly One[],
): One[] {
  const rank = ({ severity }: One) => severity === "error" ? 0 : 1;
  return diagnostics.toSorted((a, b) => rank(a) - rank(b));
}

/** `path:line:column: message (hint)`: the form editors and terminals make clickable. */
export function formatDiagnostic(diagnostic: Diagnostic): string {
  const { path, line, column, message, hint } = diagnostic;
  return `${path}:${line}:${column}: ${message}${hint === undefined ? "" : ` (${hint})`}`;
}

/** Control characters as JSON can write them, for a sentence that repeats what somebody wrote: JSON itself leaves some. */
export function escapeControls(text: string): string {
  return text.replaceAll(
    /\p{Cc}/gu,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
