// Creates diagnostics with the position in a file.
import { type Diagnostic, escapeControls } from "../../../base/diagnostics.ts";
import type { Position, YamlDocument, YamlPath } from "./yaml_document.ts";

/** A checked file: its name, and the positions of its values. */
export interface DiagnosedFile {
  path: string;
  document: YamlDocument;
}

/** Returns a list with one diagnostic for the value at a path of the document. */
export function diagnose(
  file: DiagnosedFile,
  at: YamlPath | Position,
  problem: Pick<Diagnostic, "message" | "hint" | "code"> & Partial<Pick<Diagnostic, "severity">>,
  part: "key" | "value" = "value",
): Diagnostic {
  const { severity = "error", message, ...rest } = problem;
  const place = "line" in at ? at : file.document.locate(at, part);
  return {
    path: file.path,
    line: place.line,
    column: place.column,
    severity,
    message: escapeControls(message),
    ...rest,
  };
}
