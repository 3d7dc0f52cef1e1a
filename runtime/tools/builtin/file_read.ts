// file_read: a part of a text file, with line numbers.
import { z } from "zod";
import { defineTool } from "../define_tool.ts";
import type { Redactor } from "../../secrets/redactor.ts";
import { type OpenedFile, openFile } from "../opened_file.ts";
import { RESULT_LIMIT_BYTES } from "../result_text.ts";
import { isBinary } from "../text_content.ts";
import { ToolFailure } from "../tool_failure.ts";

const MAX_LINES = 500;
/** The most of the file that one answer is made from. */
const MAX_READ_BYTES = 256 * 1024;
/**
 * The most of the answer: less than what a result may have at all, so that the last line, which says how to go on, is
 * never itself cut off.
 */
const MAX_SHOWN_BYTES = RESULT_LIMIT_BYTES - 1024;
const CHUNK_BYTES = 64 * 1024;
const SAMPLE_BYTES = 8 * 1024;

/** Reads lines of a text file. */
export const fileRead = defineTool({
  name: "file_read",
  description:
    `Reads a text file: at most ${MAX_LINES} lines at a time, from line \`offset\` on. The last line of the result says ` +
    "how to continue when there is more. Line numbers are not part of the file.",
  schema: z.object({
    path: z.string().describe("The file: relative to the workspace, or {alias}/..."),
    offset: z.int().min(1).optional().describe("The first line to read, counted from 1"),
    limit: z.int().min(1).optional().describe(`How many lines to read, at most ${MAX_LINES}`),
    with_line_numbers: z.boolean().default(true).describe("Put the line number before each line"),
  }),
  effect: "read",
  timeoutMs: 30_000,
  worksOn: "files",
  run: async (args, { sandbox, signal, redactor }) => {
    await using file = await openFile(sandbox, args.path);
    const first = args.offset ?? 1;
    const page = await readPage(file, {
      first,
      limit: Math.min(args.limit ?? MAX_LINES, MAX_LINES),
      numbered: args.with_line_numbers,
      signal,
      redactor,
    });
    if (page.lines.length === 0) {
      if (page.total === 0) return "(The file is empty.)";
      throw new ToolFailure(
        `"${file.display}" has ${page.total} lines; line ${first} is after its end.`,
      );
    }
    const last = first + page.lines.length - 1;
    const notes = page.cutLine
      ? [`(Line ${last} is too long to show whole: the rest of it is left out.)`]
      : [];
    if (page.more) {
      notes.push(
        `(Lines ${first}-${last} are shown; there is more. Continue with offset=${last + 1}.)`,
      );
    }
    return [...page.lines, ...notes].join("\n");
  },
});

interface Page {
  lines: string[];
  /** Lines seen so far; the file's number of lines when `more` is false. */
  total: number;
  more: boolean;
  cutLine: boolean;
}

async function readPage(
  file: OpenedFile,
  options: {
    first: number;
    limit: number;
    numbered: boolean;
    signal: AbortSignal;
    redactor: Redactor;
  },
): Promise<Page> {
  const page: Page = { lines: [], total: 0, more: false, cutLine: false };
  let shownBytes = 0;
  let readBytes = 0;
  for await (const line of linesOf(file, options.signal)) {
    page.total++;
    if (page.total < options.first) continue;
    readBytes += line.bytes;
    const shown = line.cut ? options.redactor.withoutTornEnd(line.text) : line.text;
    const text = options.numbered ? `${page.total}\t${shown}` : shown;
    shownBytes += new TextEncoder().encode(text).length + 1;
    const full = page.lines.length === options.limit ||
      (page.lines.length > 0 && (shownBytes > MAX_SHOWN_BYTES || readBytes > MAX_READ_BYTES));
    if (full) {
      page.more = true;
      return page;
    }
    page.lines.push(text);
    page.cutLine = line.cut;
  }
  return page;
}

/** A line without its end; of a very long one the beginning. */
interface Line {
  text: string;
  /** In the file, without the line end. */
  bytes: number;
  cut: boolean;
}

async function* linesOf(file: OpenedFile, signal: AbortSignal): AsyncGenerator<Line> {
  // Every line could be the only one, so no line may be longer than what is shown.
  const longest = MAX_SHOWN_BYTES - 256;
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let bytes = 0;
  let first = true;
  const take = (piece: Uint8Array) => {
    bytes += piece.length;
    const kept = piece.subarray(0, Math.max(0, longest - heldBytes));
    if (kept.length > 0) held.push(kept.slice());
    heldBytes += kept.length;
  };
  const finish = (): Line => {
    const joined = new Uint8Array(heldBytes);
    let at = 0;
    for (const piece of held) {
      joined.set(piece, at);
      at += piece.length;
    }
    // Only the first line may begin with a byte order mark; the decoder leaves it out.
    const decoder = new TextDecoder("utf-8", { ignoreBOM: !first });
    const text = decoder.decode(joined).replace(/\r$/, "");
    const line = { text, bytes, cut: bytes > longest };
    held = [];
    heldBytes = 0;
    bytes = 0;
    first = false;
    return line;
  };
  for await (const chunk of chunksOf(file, signal)) {
    let start = 0;
    for (let end; (end = chunk.indexOf(10, start)) >= 0; start = end + 1) {
      take(chunk.subarray(start, end));
      yield finish();
    }
    take(chunk.subarray(start));
  }
  if (bytes > 0) yield finish();
}

/**
 * The file's content; what is appended once it is open need not be among it. Each chunk is good until the next. Throws
 * ToolFailure when its beginning is no text.
 */
async function* chunksOf(file: OpenedFile, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  // Files that the system makes up as they are read (those below /proc) say that they are empty.
  const end = file.size === 0 ? Infinity : file.size;
  const buffer = new Uint8Array(Math.min(CHUNK_BYTES, end));
  for (let position = 0; position < end;) {
    signal.throwIfAborted();
    const length = await file.read(buffer, position);
    if (length === 0) return;
    if (position === 0 && isBinary(buffer.subarray(0, Math.min(length, SAMPLE_BYTES)))) {
      throw new ToolFailure(
        `Cannot read "${file.display}": it is a binary file (${file.size} bytes).`,
      );
    }
    position += length;
    yield buffer.subarray(0, length);
  }
}
