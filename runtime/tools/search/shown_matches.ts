// The result of a search: the matching lines from an offset on, with the lines around them, up to a size.
import { beginningOf } from "../../../base/text/cut_text.ts";
import type { LinePattern, MatchingLine } from "./line_pattern.ts";

const MAX_LINE_CHARACTERS = 500;
/** The number of characters before the match in a line that is cut. */
const CHARACTERS_BEFORE = 100;
const ENCODER = new TextEncoder();

/** A line with its number in the file. */
interface NumberedLine {
  number: number;
  text: string;
}

/** The options of ShownMatches. */
export interface ShownMatchesOptions {
  /** The number of the first match to show, counted from 1. */
  offset: number;
  /** The number of lines to show before and after each match. */
  context: number;
  /** The maximum number of matches to show, and their maximum size in UTF-8 bytes. */
  maxMatches: number;
  maxBytes: number;
}

/** The shown matches of one search, and the number of all matches. */
export class ShownMatches {
  readonly lines: string[] = [];
  /** The number of matches. */
  count = 0;
  /** The number of the last match that is shown. */
  last: number;
  readonly #pattern: LinePattern;
  readonly #options: ShownMatchesOptions;
  /** The number of UTF-8 bytes that can still be shown. */
  #room: number;
  #path = "";
  /** The lines before the next part. */
  #before: NumberedLine[] = [];
  /** The numbers of the file's last shown line and last shown match. */
  #shown = -1;
  #matched = -Infinity;

  constructor(pattern: LinePattern, options: ShownMatchesOptions) {
    this.#pattern = pattern;
    this.#options = options;
    this.#room = options.maxBytes;
    this.last = options.offset - 1;
  }

  /** Starts a file. `path` is the path to show. */
  startFile(path: string): void {
    this.#path = path;
    this.#before = [];
    this.#shown = -1;
    this.#matched = -Infinity;
  }

  /** True if the result needs each part of a file, not only the parts with matches. */
  get needsEveryPart(): boolean {
    return this.#options.context > 0;
  }

  /** Adds the redacted text of a part of the file, with the number of its first line and its matching lines. */
  addPart(
    text: string,
    options: { line: number; matching: Iterable<MatchingLine>; endsLine: boolean },
  ): void {
    const { matching, endsLine } = options;
    const { offset, context, maxMatches } = this.#options;
    let { line } = options;
    let at = 0;
    for (const match of matching) {
      this.count++;
      if (this.count < offset || this.count >= offset + maxMatches) continue;
      const skipped = numberedLines(text.slice(at, match.from), line);
      line += skipped.length;
      at = match.to + 1;
      this.#addContext([...this.#before, ...skipped], line);
      if (this.#add({ number: line, text: this.#cut(text, match) }, ":")) {
        this.last = this.count;
        this.#matched = line;
      }
      line++;
    }
    if (context > 0) {
      const isWhole = endsLine && at <= text.length;
      const rest = numberedLines(text.slice(at) + (isWhole ? "\n" : ""), line);
      this.#addContext(rest, Infinity);
      this.#before = [...this.#before, ...rest].slice(-context);
    }
  }

  /** Adds the lines that are near the last match or near a next match in line `next`. */
  #addContext(lines: readonly NumberedLine[], next: number): void {
    for (const line of lines) {
      const { number } = line;
      const isNear = number <= this.#matched + this.#options.context ||
        number >= next - this.#options.context;
      if (number > this.#shown && isNear) {
        this.#add({ number, text: beginningOf(line.text, MAX_LINE_CHARACTERS) }, "-");
      }
    }
  }

  /** Adds a line to the result. Once a line does not fit, adds no more lines. Returns true if the line was added. */
  #add({ number, text }: NumberedLine, mark: ":" | "-"): boolean {
    const isGap = this.#options.context > 0 && this.lines.length > 0 && number > this.#shown + 1;
    const added = [...isGap ? ["--"] : [], `${this.#path}${mark}${number}${mark} ${text}`];
    this.#room -= ENCODER.encode(added.join("\n")).length + "\n".length;
    if (this.#room < 0) {
      this.#room = 0;
      return false;
    }
    this.lines.push(...added);
    this.#shown = number;
    return true;
  }

  /** Returns the text of a matching line. A long line is cut around the match. */
  #cut(text: string, match: MatchingLine): string {
    const line = text.slice(match.from, match.to).replace(/\r$/, "");
    if (line.length <= MAX_LINE_CHARACTERS) return line;
    const start = Math.max(0, this.#pattern.positionIn(line, match) - CHARACTERS_BEFORE);
    const from = line.slice(start).replace(/^[\uDC00-\uDFFF]/, "");
    const shown = beginningOf(from, MAX_LINE_CHARACTERS);
    return `${start > 0 ? "…" : ""}${shown}${shown.length < from.length ? "…" : ""}`;
  }
}

/** Returns the lines of a text. The text is empty or each of its lines, except a file's last line, ends with `\n`. */
function numberedLines(text: string, first: number): NumberedLine[] {
  if (text === "") return [];
  return text.replace(/\n$/, "").split("\n").map((one, index) => ({
    number: first + index,
    text: one.replace(/\r$/, ""),
  }));
}
