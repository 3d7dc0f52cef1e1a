// Formats changes of files: the lines of a diff in colors, with invisible characters escaped.
import type { PreviewBody } from "../../api/schemas/request_schemas.ts";
import type { Style } from "./style.ts";
import { toVisible, toVisibleLine } from "../../present/visible_text.ts";

const INDENT = "    ";

/** Formats the lines of a unified diff with an indent. Added lines are green, removed lines red. */
export function formatDiff(diff: string, style: Style): string[] {
  const lines = diff.replace(/\n$/, "").split("\n");
  if (diff === "") return [];
  const texts = lines.filter((line) => /^[ +-]/.test(line));
  // In a file whose lines all end with CRLF, the carriage returns are not shown.
  const isCrlf = texts.length > 0 && texts.every((line) => line.endsWith("\r"));
  return lines.map((line) => {
    const shown = toVisible(isCrlf ? line.replace(/\r$/, "") : line);
    return INDENT + paintOf(line, style)(shown);
  });
}

function paintOf(line: string, style: Style): (text: string) => string {
  if (line.startsWith("+")) return style.green;
  if (line.startsWith("-")) return style.red;
  if (line.startsWith(" ")) return (text) => text;
  return style.dim;
}

/** Returns a summary of a file change, such as `notes.md (new file, +3)`. */
export function describeChange({ path, added, removed, is_new_file: isNew }: PreviewBody): string {
  const counts = [
    ...(isNew ? ["new file"] : []),
    [...(added > 0 ? [`+${added}`] : []), ...(removed > 0 ? [`-${removed}`] : [])].join(" "),
  ].filter((one) => one !== "");
  return toVisibleLine(path) + (counts.length === 0 ? "" : ` (${counts.join(", ")})`);
}
