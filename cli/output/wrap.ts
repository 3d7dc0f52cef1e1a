// Text laid out in lines of a width: broken between words, and inside a word only where it has no end.
import { createStyle, type Mark, type Style } from "./style.ts";
import { widthOf } from "./width.ts";

/** A piece of text and how it is marked. */
export interface Span {
  text: string;
  marks?: readonly Mark[];
}

/** How lines are laid out. */
export interface WrapOptions {
  /** Cells of a line; Infinity breaks at line feeds only. */
  width: number;
  style: Style;
  /** Cells that lines behind the first are indented by. */
  hanging?: number;
  /** Leaves words whole that are longer than a line, for the terminal to break: so they can be copied. */
  keepsWords?: boolean;
}

const NO_BREAK = "\u00a0";
/** What is never broken: an address would not lead there any more, a command would not be one. */
const UNBROKEN = /https?:\/\/|\u00a0/;
const COMMAND = /"inkling [^"]*"|(?<=: )inkling [^.(·\n]*[^.(·\s]|POST \/\S+/g;

/** Painted lines of the spans. A line feed in a span begins a new line; other white space is where lines break. */
export function wrapSpans(spans: readonly Span[], options: WrapOptions): string[] {
  const layout = new Layout(options);
  for (const { text, marks = [] } of spans) {
    for (const part of text.split(/(\n|[^\S\n\u00a0]+)/)) {
      if (part === "") continue;
      if (part === "\n") layout.breakLine();
      else if (/^[^\S\u00a0]/.test(part)) layout.space(marks);
      else layout.add(part, marks);
    }
  }
  return layout.end();
}

/**
 * The text, which may hold colours, with its lines broken between words where they are wider than the width. A command
 * that it names stays in one piece, so that it can be copied.
 */
export function wrapText(
  text: string,
  width: number,
  { hanging = 0 }: { hanging?: number } = {},
): string {
  return text.split("\n").map((line) => {
    if (widthOf(line) <= width) return line;
    const [indent = ""] = /^ */.exec(line) ?? [];
    const bound = line.slice(indent.length)
      .replaceAll(COMMAND, (command) => command.replaceAll(" ", NO_BREAK));
    const lines = wrapSpans([{ text: bound }], {
      width: width - indent.length,
      hanging,
      keepsWords: true,
      style: createStyle({ colors: false }),
    });
    return lines.map((part) => (indent + part).replaceAll(NO_BREAK, " ")).join("\n");
  }).join("\n");
}

/**
 * The text, which may hold colours, with each line that is wider than the width broken after a space; what follows is
 * indented by two more. Unlike wrapText() it keeps every character: it is for what a person approves. A mark stands where
 * an indented line of the text has a space, so that no text looks like another one that is broken.
 */
export function wrapExactly(text: string, width: number): string {
  return text.split("\n").map((line) => {
    if (widthOf(line) <= width) return line;
    const [indent = ""] = /^ */.exec(line) ?? [];
    const lead = (indent.length < 4 ? indent : `  ↪ ${indent.slice(4)}`) + "  ";
    const lines = [""];
    for (const word of line.split(/(?<= )(?=[^ ])/)) {
      const last = lines.pop() ?? "";
      const isFull = last.trim() !== "" && widthOf(last + word) > width;
      lines.push(...(isFull ? [last, lead + word] : [last + word]));
    }
    return lines.join("\n");
  }).join("\n");
}

class Layout {
  readonly #options: WrapOptions;
  readonly #lines: string[] = [];
  /** The line that grows, as runs of the same marks, and its cells. */
  #line: Required<Span>[] = [];
  #lineWidth = 0;
  /** The word that grows: pieces of different marks without a space between them. */
  #word: Span[] = [];
  #wordWidth = 0;
  /** The space before the word, which is shown when the word follows on the same line. */
  #space: readonly Mark[] | undefined;

  constructor(options: WrapOptions) {
    this.#options = options;
  }

  add(text: string, marks: readonly Mark[]): void {
    for (const piece of splitWide(text)) {
      // Between wide characters a line may end.
      if (piece.isWide) this.#endWord();
      this.#word.push({ text: piece.text, marks });
      this.#wordWidth += widthOf(piece.text);
      if (piece.isWide) this.#endWord();
    }
  }

  space(marks: readonly Mark[]): void {
    this.#endWord();
    if (this.#lineWidth > this.#indent()) this.#space = marks;
  }

  breakLine(): void {
    this.#endWord();
    this.#endLine();
  }

  end(): string[] {
    this.#endWord();
    this.#endLine();
    return this.#lines;
  }

  /** The indentation of the line that grows. */
  #indent(): number {
    return this.#lines.length === 0 ? 0 : this.#options.hanging ?? 0;
  }

  #endWord(): void {
    if (this.#word.length === 0) return;
    const { width } = this.#options;
    const space = this.#space === undefined ? 0 : 1;
    const isFirst = this.#lineWidth <= this.#indent();
    if (!isFirst && this.#lineWidth + space + this.#wordWidth > width) this.#endLine();
    if (this.#space !== undefined) this.#put(" ", this.#space);
    this.#space = undefined;
    const text = this.#word.map((span) => span.text).join("");
    const isKept = this.#wordWidth <= width || this.#options.keepsWords || UNBROKEN.test(text);
    for (const { text, marks = [] } of this.#word) {
      if (isKept) this.#put(text, marks);
      else this.#putCut(text, marks);
    }
    this.#word = [];
    this.#wordWidth = 0;
  }

  #put(text: string, marks: readonly Mark[]): void {
    if (text === "") return;
    if (this.#lineWidth === 0 && this.#indent() > 0) {
      this.#line.push({ text: " ".repeat(this.#indent()), marks: [] });
      this.#lineWidth = this.#indent();
    }
    const last = this.#line.at(-1);
    if (last !== undefined && last.marks.join() === marks.join()) last.text += text;
    else this.#line.push({ text, marks });
    this.#lineWidth += widthOf(text);
  }

  /** A word that is longer than a line. */
  #putCut(text: string, marks: readonly Mark[]): void {
    let rest = "";
    for (const { segment } of graphemes(text)) {
      const used = Math.max(this.#lineWidth, this.#indent());
      if (
        used + widthOf(rest + segment) > this.#options.width && used + rest.length > this.#indent()
      ) {
        this.#put(rest, marks);
        this.#endLine();
        rest = "";
      }
      rest += segment;
    }
    this.#put(rest, marks);
  }

  #endLine(): void {
    const { style } = this.#options;
    this.#lines.push(this.#line.map(({ text, marks }) => paint(text, marks, style)).join(""));
    this.#line = [];
    this.#lineWidth = 0;
    this.#space = undefined;
  }
}

/** The text with all its marks. */
function paint(text: string, marks: readonly Mark[], style: Style): string {
  return marks.reduce((painted, mark) => style[mark](painted), text);
}

/** Runs of text, each wide character (CJK, emoji) by itself. */
function splitWide(text: string): { text: string; isWide: boolean }[] {
  // deno-lint-ignore no-control-regex -- ASCII is one cell each
  if (/^[\x00-\u10ff]*$/.test(text)) return [{ text, isWide: false }];
  const parts: { text: string; isWide: boolean }[] = [];
  for (const { segment } of graphemes(text)) {
    const isWide = widthOf(segment) > 1;
    const last = parts.at(-1);
    if (isWide || last === undefined || last.isWide) parts.push({ text: segment, isWide });
    else last.text += segment;
  }
  return parts;
}

function graphemes(text: string): Iterable<{ segment: string }> {
  return new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text);
}
