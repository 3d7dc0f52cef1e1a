// Replaces exact text in a file's content and keeps the file's line endings. The search takes time linear in the text and
// pauses for other work, because String.indexOf() can take hours for a text that a model chose.
import { nextSlice } from "../../../base/slices.ts";
import { ToolFailure } from "../failures/tool_failure.ts";

const MAX_LISTED_LINES = 10;
/** The maximum length of the edited text, in UTF-16 code units. */
const MAX_CHARACTERS = 10 * 1024 * 1024;
const MAX_OLD_CHARACTERS = 256 * 1024;
/** The number of characters to process between two chances for other work to run. */
const STEP = 32 * 1024;
/** The maximum length of a line that is compared with a text that has no exact match. */
const MAX_SIMILAR_CHARACTERS = 2_000;

/**
 * Returns the content with the edit applied, and the number of replacements. `lines` is the list of the first line numbers of
 * the replaced texts in the old content, counted from 1. Throws ToolFailure if the old text is missing, too long, or occurs
 * several times without `replace_all`, and if the new content would be too long.
 */
export async function editText(
  content: string,
  { old_text: oldText, new_text: newText, replace_all: replaceAll }: {
    old_text: string;
    new_text: string;
    replace_all: boolean;
  },
  shown: string,
): Promise<{ content: string; count: number; lines: string }> {
  if (oldText === "") {
    throw new ToolFailure("old_text is empty. To write a whole file use file_write.");
  }
  if (oldText.length > MAX_OLD_CHARACTERS) {
    throw new ToolFailure(
      `old_text has ${oldText.length} characters, at most ${MAX_OLD_CHARACTERS} are possible. ` +
        "Replace less at a time.",
    );
  }
  if (oldText === newText) {
    throw new ToolFailure("old_text and new_text are the same: there is nothing to change.");
  }
  for (const texts of inLineEndsOf(content, { oldText, newText })) {
    const { count, lines, parts } = await replaced(content, { ...texts, replaceAll });
    if (count === 0) continue;
    if (count > 1 && !replaceAll) {
      throw new ToolFailure(
        `old_text is in "${shown}" ${count} times, at lines ${lines}. Give more of the text around ` +
          "the place that you mean, or set replace_all.",
      );
    }
    if (parts === undefined) {
      throw new ToolFailure(
        `The edited "${shown}" would have more than ${MAX_CHARACTERS} characters, which is too much. ` +
          "Nothing was changed.",
      );
    }
    await nextSlice();
    return { content: parts.join(""), count, lines };
  }
  throw new ToolFailure(await notFound(content, oldText, shown));
}

/**
 * Returns the edit with the line endings of the file. Models write LF, so both texts are converted to CRLF for a file with
 * CRLF, and from CRLF for a file with LF. For a file with both kinds, returns two variants: the first that occurs is
 * applied.
 */
function inLineEndsOf(content: string, asWritten: TextEdit): TextEdit[] {
  const { oldText, newText } = asWritten;
  const withCrlf = { oldText: toCrlf(oldText), newText: toCrlf(newText) };
  if (!content.includes("\r\n")) {
    const isForeign = oldText.includes("\r\n");
    return [isForeign ? { oldText: toLf(oldText), newText: toLf(newText) } : asWritten];
  }
  return /(?<!\r)\n/.test(content) ? [asWritten, withCrlf] : [withCrlf];
}

type TextEdit = { oldText: string; newText: string };

function toLf(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

function toCrlf(text: string): string {
  return toLf(text).replaceAll("\n", "\r\n");
}

/**
 * Finds and replaces a text in one pass (Knuth, Morris and Pratt). Returns the pieces of the new content as `parts`:
 * undefined if the content would be too long. If there are several matches without `replaceAll`, `parts` is not valid.
 */
async function replaced(
  content: string,
  { oldText, newText, replaceAll }: TextEdit & { replaceAll: boolean },
): Promise<{ count: number; lines: string; parts: string[] | undefined }> {
  const borders = bordersOf(oldText);
  const innerLines = oldText.split("\n").length - 1;
  const listed: number[] = [];
  let [count, more, line, lastLine] = [0, 0, 1, 0];
  let [matched, from, length] = [0, 0, content.length];
  const parts: string[] = [];
  let open: string[] = [];
  for (let at = 0; at < content.length; at++) {
    const code = content.charCodeAt(at);
    if (code === LF) line++;
    while (matched > 0 && code !== oldText.charCodeAt(matched)) matched = borders[matched - 1] ?? 0;
    if (code === oldText.charCodeAt(matched)) matched++;
    if (matched === oldText.length) {
      matched = 0;
      count++;
      const first = line - innerLines;
      if (first !== lastLine) {
        lastLine = first;
        if (listed.length < MAX_LISTED_LINES) listed.push(first);
        else more++;
      }
      length += newText.length - oldText.length;
      if (length <= MAX_CHARACTERS && (replaceAll || count === 1)) {
        open.push(content.slice(from, at + 1 - oldText.length), newText);
        from = at + 1;
      }
    }
    if (at % STEP === 0) {
      parts.push(open.join(""));
      open = [];
      await nextSlice();
    }
  }
  parts.push(open.join(""), content.slice(from));
  const lines = listed.join(", ") + (more > 0 ? ` and ${more} more` : "");
  return { count, lines, parts: length > MAX_CHARACTERS ? undefined : parts };
}

const LF = 10;

/** Returns, for each prefix of a text, the length of its longest proper border (the KMP failure table). */
function bordersOf(text: string): Int32Array {
  const borders = new Int32Array(text.length);
  for (let at = 1, length = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    while (length > 0 && code !== text.charCodeAt(length)) length = borders[length - 1] ?? 0;
    if (code === text.charCodeAt(length)) length++;
    borders[at] = length;
  }
  return borders;
}

async function notFound(
  content: string,
  oldText: string,
  shown: string,
): Promise<string> {
  const sentence =
    `old_text is not in "${shown}". It must match exactly, with every space and line end.`;
  const wanted = oldText.split("\n").map(squeezed).filter((line) => line !== "");
  if (wanted.length > 0 && wanted.every((line) => /^\d+\s/.test(line))) {
    return `${sentence} Leave out the line numbers that file_read puts before each line.`;
  }
  const similar = await lineLike(content, wanted[0] ?? "");
  if (similar === undefined) return `${sentence} Read the file again.`;
  return `${sentence} Line ${similar} differs from its first line in spaces only, or the lines behind it differ.`;
}

/** Returns the number of the first line that equals `wanted` apart from spaces, or undefined. */
async function lineLike(
  content: string,
  wanted: string,
): Promise<number | undefined> {
  if (wanted === "") return undefined;
  for (let [from, number] = [0, 1]; from <= content.length; number++) {
    const found = content.indexOf("\n", from);
    const end = found < 0 ? content.length : found;
    const isShort = end - from <= MAX_SIMILAR_CHARACTERS;
    if (isShort && squeezed(content.slice(from, end)) === wanted) return number;
    from = end + 1;
    if (number % 1_000 === 0) await nextSlice();
  }
}

function squeezed(line: string): string {
  return line.replace(/\s+/g, " ").trim();
}
