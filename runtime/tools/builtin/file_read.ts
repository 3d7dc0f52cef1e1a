// The tool file_read: reads a part of a text file, or shows a picture or PDF file to the model.
import { z } from "zod";
import type { Redactor } from "../../secrets/redactor.ts";
import { defineTool } from "../definition/define_tool.ts";
import { type OpenedFile, openFile } from "../files/opened_file.ts";
import { isBinary, SAMPLE_BYTES } from "../../../base/text/text_content.ts";
import { ToolFailure } from "../failures/tool_failure.ts";

const MAX_LINES = 500;
/** The maximum size of the returned text in UTF-8 bytes, line numbers included. */
const MAX_SHOWN_BYTES = 256 * 1024;
/** The size reserved for the lines that explain how to continue reading. */
const NOTES_BYTES = 1024;
/**
 * The length of the text kept before the requested column, in UTF-16 code units. It exceeds the longest secret, so that a
 * secret that begins before the column is recognized.
 */
const KNOWN_BEFORE = 256 * 1024;
/** The size of one read. Scanning it takes well below a millisecond, and the service does other work between two reads. */
const CHUNK_BYTES = 64 * 1024;
/** The maximum size of a picture or PDF file in bytes. */
const MAX_MEDIA_BYTES = 10 * 1024 * 1024;
/** The bytes `%PDF` at the beginning of a PDF file. Checked separately, because a PDF file may begin with plain text. */
const PDF = [0x25, 0x50, 0x44, 0x46];
const ENCODER = new TextEncoder();

/** Reads lines of a text file. Shows a picture or PDF file if the model accepts it. */
export const fileRead = defineTool({
  name: "file_read",
  description:
    `Reads a text file, or shows a picture or a PDF file. Text is read from line \`offset\` on: at most ${MAX_LINES} lines or ${
      MAX_SHOWN_BYTES / 1024
    } KB at a time. The last line of the ` +
    "result says how to continue when there is more. Line numbers are not part of the file.",
  schema: z.object({
    path: z.string().describe("The file: relative to the workspace, or {alias}/..."),
    offset: z.int().min(1).optional().describe("The first line to read, counted from 1"),
    column: z.int().min(1).optional().describe(
      "The character of the first line to begin with, counted from 1: for the rest of a line that was cut",
    ),
    limit: z.int().min(1).optional().describe(`How many lines to read, at most ${MAX_LINES}`),
    with_line_numbers: z.boolean().default(true).describe("Put the line number before each line"),
  }),
  effect: "read",
  timeoutMs: 30_000,
  maxResultBytes: MAX_SHOWN_BYTES + NOTES_BYTES,
  worksOn: "files",
  run: async (args, { sandbox, signal, redactor, show }) => {
    await using file = await openFile(sandbox, args.path);
    const place = { line: args.offset ?? 1, column: args.column ?? 1 };
    const part = await readPart(chunksOf(file, signal), place, file).catch(async (error) => {
      const isShown = show && error instanceof NotText && file.size <= MAX_MEDIA_BYTES;
      const shown = isShown ? await show(await file.readAll(MAX_MEDIA_BYTES)) : undefined;
      if (shown === undefined) throw error;
      if (!shown.isContent) return shown.text;
      return await readPart([ENCODER.encode(shown.text)], place, file);
    });
    if (typeof part === "string") return part;
    if (part === undefined) return "(The file is empty.)";
    return showPart(part, place, {
      limit: Math.min(args.limit ?? MAX_LINES, MAX_LINES),
      numbered: args.with_line_numbers,
      redactor,
    });
  },
});

/** Error: the file is not text. */
class NotText extends ToolFailure {}

/** A position in a text file. Lines and columns are counted from 1, and a column is one UTF-16 code unit. */
interface Place {
  line: number;
  column: number;
}

/** The text of a file that surrounds a requested position. */
interface Part {
  /**
   * The text around the position. It begins in the position's line and ends at the file's end, or after more text than one
   * result can contain.
   */
  text: string;
  /** The index of the position in `text`. */
  at: number;
  /** True if `text` extends to the file's end. It then lacks the last line's line ending. */
  ended: boolean;
}

/**
 * Reads the text around a position. Returns undefined for an empty file. Throws ToolFailure if the file has no such line or
 * column.
 */
async function readPart(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { line, column }: Place,
  file: Pick<OpenedFile, "display">,
): Promise<Part | undefined> {
  // A byte order mark is removed only at the beginning of the file. In a later line it is text.
  const decoder = new TextDecoder("utf-8", { ignoreBOM: line > 1 });
  let text = "";
  let at = column - 1;
  let lineEnds = 0;
  let lastByte: number | undefined;
  for await (const chunk of chunks) {
    lastByte = chunk.at(-1);
    let from = 0;
    for (; lineEnds < line - 1 && from < chunk.length; from++) if (chunk[from] === 10) lineEnds++;
    if (lineEnds < line - 1) continue;
    text += decoder.decode(chunk.subarray(from), { stream: true });
    if (text.slice(0, at).includes("\n")) break;
    const needless = Math.min(text.length, at) - KNOWN_BEFORE;
    if (needless > 0) {
      text = text.slice(needless);
      at -= needless;
    }
    if (text.length - at > MAX_SHOWN_BYTES) return { text, at, ended: false };
  }
  if (lastByte === undefined) return undefined;
  text += decoder.decode();
  const total = lineEnds + (lastByte === 10 ? 0 : 1);
  if (text === "" && total < line) {
    throw new ToolFailure(
      `"${file.display}" has ${total} lines; line ${line} is after its end.`,
    );
  }
  const lineText = lineAt(text);
  if (at > lineText.length) {
    const length = column - 1 - at + lineText.length;
    throw new ToolFailure(
      `Line ${line} of "${file.display}" has ${length} characters; column ${column} is after its end.`,
    );
  }
  return { text: text.replace(/\n$/, ""), at, ended: true };
}

/** Returns the text for the model: the lines, then notes on a cut line, a hidden secret, and how to read the rest. */
function showPart(
  { text, at, ended }: Part,
  { line, column }: Place,
  { limit, numbered, redactor }: { limit: number; numbered: boolean; redactor: Redactor },
): string {
  const start = redactor.safeStart(lineAt(text), startOfCharacter(text, at));
  const notes = start > at
    ? [
      `(Column ${column} is inside a secret, which is left out, up to column ${
        column + start - at
      }.)`,
    ]
    : [];
  const pieces = text.slice(start).split("\n", limit + 1);
  const shown: string[] = [];
  let room = MAX_SHOWN_BYTES;
  for (const [index, piece] of pieces.entries()) {
    const number = line + index;
    const isWhole = index < pieces.length - 1 || ended;
    const prefix = numbered ? `${number}\t` : "";
    const whole = prefix + piece.replace(/\r$/, "");
    room -= ENCODER.encode(whole).length + "\n".length;
    if (index < limit && isWhole && room >= 0) {
      shown.push(whole);
      continue;
    }
    if (index === 0) {
      const fitting = beginningWithin(piece, MAX_SHOWN_BYTES - prefix.length);
      const head = redactor.trimPartialSecret(fitting);
      const next = column + start - at + head.length;
      shown.push(prefix + head);
      notes.push(
        `(Line ${number} is cut here. For its rest continue with offset=${number}, column=${next}; ` +
          `for what comes after the line with offset=${number + 1}.)`,
      );
    } else {
      notes.push(
        `(Lines ${line}-${number - 1} are shown; there is more. Continue with offset=${number}.)`,
      );
    }
    break;
  }
  return [...shown, ...notes].join("\n");
}

/** Returns the text's first line. */
function lineAt(text: string): string {
  const end = text.indexOf("\n");
  return end < 0 ? text : text.slice(0, end);
}

/** Returns `index`, or `index - 1` if `index` splits a surrogate pair. */
function startOfCharacter(text: string, index: number): number {
  return /[\uDC00-\uDFFF]/.test(text.charAt(index)) ? index - 1 : index;
}

/** Returns the longest prefix of the text that fits into `maxBytes` of UTF-8 without splitting a character. */
function beginningWithin(text: string, maxBytes: number): string {
  return text.slice(0, ENCODER.encodeInto(text, new Uint8Array(maxBytes)).read);
}

/**
 * Yields the file's content up to the size that the file had when it was opened. All chunks share one buffer, so each is
 * valid until the next is requested. Throws NotText if the first chunk is not text.
 */
async function* chunksOf(file: OpenedFile, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  // Generated files, such as the files in /proc, report a size of zero, so they are read until their content ends.
  const end = file.size === 0 ? Infinity : file.size;
  const buffer = new Uint8Array(Math.min(CHUNK_BYTES, end));
  for (let position = 0; position < end;) {
    signal.throwIfAborted();
    const length = await file.read(buffer, position);
    if (length === 0) return;
    const sample = buffer.subarray(0, position === 0 ? Math.min(length, SAMPLE_BYTES) : 0);
    if (isBinary(sample) || PDF.every((byte, at) => sample[at] === byte)) {
      throw new NotText(
        `Cannot read "${file.display}": it is a binary file (${file.size} bytes).`,
      );
    }
    position += length;
    yield buffer.subarray(0, length);
  }
}
