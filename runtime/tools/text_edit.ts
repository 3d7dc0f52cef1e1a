// Replacing exact text in a file's content. Pure; line ends stay as the file has them.
import { ToolFailure } from "./tool_failure.ts";

const MAX_LISTED_LINES = 10;

/** A wanted replacement. */
export interface TextEdit {
  oldText: string;
  newText: string;
  replaceAll: boolean;
}

/** The changed content and the lines (from 1, of the content before) where something was replaced. */
export interface EditedText {
  content: string;
  lines: number[];
}

/** Applies an edit. Throws ToolFailure when the text is not there, or there more than once without `replaceAll`. */
export function editText(content: string, edit: TextEdit, shown: string): EditedText {
  if (edit.oldText === "") {
    throw new ToolFailure("old_text is empty. To write a whole file use file_write.");
  }
  if (edit.oldText === edit.newText) {
    throw new ToolFailure("old_text and new_text are the same: there is nothing to change.");
  }
  const { oldText, newText } = inLineEndsOf(content, edit);
  const places = placesOf(content, oldText);
  if (places.length === 0) throw new ToolFailure(notFound(content, edit.oldText, shown));
  const lines = linesAt(content, places);
  if (places.length > 1 && !edit.replaceAll) {
    throw new ToolFailure(
      `old_text is in "${shown}" ${places.length} times, at lines ${
        listed(lines)
      }. Give more of the text around the ` +
        "place that you mean, or set replace_all.",
    );
  }
  return { content: content.split(oldText).join(newText), lines };
}

/** The first few of some line numbers, for a sentence. */
export function listed(lines: readonly number[]): string {
  const distinct = [...new Set(lines)];
  const first = distinct.slice(0, MAX_LISTED_LINES).join(", ");
  return distinct.length > MAX_LISTED_LINES
    ? `${first} and ${distinct.length - MAX_LISTED_LINES} more`
    : first;
}

/** Models write LF; in a file with CRLF both texts are meant with its line ends, and the other way round. */
function inLineEndsOf(content: string, edit: TextEdit): { oldText: string; newText: string } {
  const { oldText, newText } = edit;
  const crlf = content.includes("\r\n");
  const bareLf = /(?<!\r)\n/.test(content);
  if (crlf && !bareLf) return { oldText: toCrlf(oldText), newText: toCrlf(newText) };
  if (!crlf) {
    const inFile = content.includes(oldText);
    return inFile ? { oldText, newText } : { oldText: toLf(oldText), newText: toLf(newText) };
  }
  // Both kinds are in the file: the place itself decides.
  if (content.includes(oldText)) return { oldText, newText };
  return { oldText: toCrlf(oldText), newText: toCrlf(newText) };
}

function toLf(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

function toCrlf(text: string): string {
  return toLf(text).replaceAll("\n", "\r\n");
}

function placesOf(content: string, wanted: string): number[] {
  const places: number[] = [];
  for (
    let at = content.indexOf(wanted);
    at >= 0;
    at = content.indexOf(wanted, at + wanted.length)
  ) {
    places.push(at);
  }
  return places;
}

function linesAt(content: string, places: readonly number[]): number[] {
  let line = 1;
  let from = 0;
  return places.map((place) => {
    for (
      let at = content.indexOf("\n", from);
      at >= 0 && at < place;
      at = content.indexOf("\n", from)
    ) {
      line++;
      from = at + 1;
    }
    return line;
  });
}

function notFound(content: string, oldText: string, shown: string): string {
  const sentence =
    `old_text is not in "${shown}". It must match exactly, with every space and line end.`;
  const wanted = oldText.split("\n").map(squeezed).filter((line) => line !== "");
  if (wanted.length > 0 && wanted.every((line) => /^\d+\s/.test(line))) {
    return `${sentence} Leave out the line numbers that file_read puts before each line.`;
  }
  const similar = content.split("\n").findIndex((line) => squeezed(line) === wanted[0]);
  if (wanted.length === 0 || similar < 0) return `${sentence} Read the file again.`;
  return `${sentence} Line ${
    similar + 1
  } differs from its first line in spaces only, or the lines behind it differ.`;
}

function squeezed(line: string): string {
  return line.replace(/\s+/g, " ").trim();
}
