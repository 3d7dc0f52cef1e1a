// Wraps text into lines of a given width, between words. A word that is longer than a line is broken.
import { createStyle, type Mark, type Style } from "./style.ts";
import { widthOf } from "./width.ts";

/** A piece of text and the names of its styles. */
export interface Span {
  text: string;
  marks?: readonly Mark[];
}

/** The layout of wrapped lines. */
export interface WrapOptions {
  /** The maximum width of a line in terminal cells. With Infinity, lines break only at line feeds. */
  width: number;
  style: Style;
  /** The indent, in cells, of the lines after the first line. */
  hanging?: number;
  /** If true, words that are longer than a line are not broken, so that the user can copy them. */
  keepsWords?: boolean;
}

const NO_BREAK = "\u00a0";
/**
 * Matches words that are never broken, so that the user can copy them: web addresses, and words with the non-breaking
 * spaces of commands.
 */
const UNBROKEN = /https?:\/\/|\u00a0/;
const COMMAND = /"inkling [^"]*"|(?<=: )inkling [^.(·\n]*[^.(·\s]|POST \/\S+/g;

/** Wraps spans and returns the lines with their styles applied. Lines break at white space, and always at a line feed. */
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
 * Wraps the lines of a text at spaces. The text may contain color codes. Commands such as `inkling list` are not broken.
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
 * Wraps the lines of a text after spaces, and keeps every character. It is used for texts that the user approves. The
 * continuation of a line is indented by two more cells. In a deeper indent, the sign ↪ distinguishes a continuation from a
 * line of the text. The text may contain color codes.
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
  /** The current line, as pieces of different styles. */
  #line: Required<Span>[] = [];
  #lineWidth = 0;
  /** The current word, as pieces of different styles. */
  #word: Span[] = [];
  #wordWidth = 0;
  /**
   * The styles of the space before the current word; undefined without a space. The space is printed if the word stays on
   * the same line.
   */
  #space: readonly Mark[] | undefined;

  constructor(options: WrapOptions) {
    this.#options = options;
  }

  add(text: string, marks: readonly Mark[]): void {
    for (const piece of splitWide(text)) {
      // Lines may also break before and after wide characters, such as Chinese characters.
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

  /** Returns the indent of the current line. */
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

  /** Adds a word that is longer than a line, and breaks it between characters. */
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

/** Returns the text with all its styles applied. */
function paint(text: string, marks: readonly Mark[], style: Style): string {
  return marks.reduce((painted, mark) => style[mark](painted), text);
}

/** Splits a text into pieces. Each wide character, such as an emoji, is a piece of its own. */
function splitWide(text: string): { text: string; isWide: boolean }[] {
  // deno-lint-ignore no-control-regex -- every character up to U+10FF is one cell wide
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
