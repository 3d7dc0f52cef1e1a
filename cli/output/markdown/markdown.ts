// Markdown as a person reads it at a terminal. The parser is a package of its own weight: this file is loaded where a
// terminal shows an answer, and nowhere else.
import { getDefaults, marked, type MarkedToken, type Token, Tokenizer, type Tokens } from "marked";
import { toSpans } from "./markdown_inline.ts";
import { formatMarkdownTable } from "./markdown_table.ts";
import { sanitise } from "../sanitise.ts";
import type { Style } from "../style.ts";
import { shorten, widthOf } from "../width.ts";
import { wrapSpans } from "../wrap.ts";

/** How Markdown is laid out. */
export interface MarkdownOptions {
  /** Cells of a line. */
  width: number;
  style: Style;
  /** Shortens the lines that must not be broken (code, addresses) where they are longer than the width. */
  cuts?: boolean;
}

/** Inside deeper lists and quotes a line keeps this many cells, whatever the terminal has. */
const LEAST_WIDTH = 16;
/** Lists and quotes that are nested deeper do not make the text any narrower. */
const DEEPEST = 8;
const BULLETS = ["•", "◦", "▪"] as const;

/**
 * Leaves the addresses that stand apart from their links where they stand: they come mostly at the end, and a reply is
 * shown block by block.
 */
class BlockwiseTokenizer extends Tokenizer {
  #count = 0;

  override def(source: string): Tokens.Def | undefined {
    const token = super.def(source);
    // No link can name it, and none is taken for a repetition.
    return token && { ...token, tag: `\0${this.#count++}` };
  }
}

/** Blocks of a sanitised text: each with the source that it came from. */
export function parseMarkdown(text: string): Token[] {
  try {
    return marked.lexer(text, { ...getDefaults(), tokenizer: new BlockwiseTokenizer() });
  } catch (error) {
    // Thousands of quotes or lists inside each other are too many for the parser: they are shown as they are.
    if (!(error instanceof RangeError)) throw error;
    return [{ type: "html", raw: text, text }];
  }
}

/** Painted lines of blocks, an empty one between them. */
export function formatBlocks(tokens: readonly Token[], options: MarkdownOptions): string[] {
  return joinBlocks(tokens, { ...options, depth: 0, lists: 0 }, "\n").map((line) =>
    options.cuts && widthOf(line) > options.width ? shorten(line, options.width) : line
  );
}

interface Surroundings extends MarkdownOptions {
  /** Lists and quotes around. */
  depth: number;
  /** Lists around. */
  lists: number;
}

function joinBlocks(tokens: readonly Token[], at: Surroundings, between: "\n" | ""): string[] {
  const lines: string[] = [];
  for (const token of tokens) {
    const block = formatBlock(token as MarkedToken, at);
    if (block.length === 0) continue;
    if (lines.length > 0 && between !== "") lines.push("");
    lines.push(...block);
  }
  return lines;
}

function formatBlock(token: MarkedToken, at: Surroundings): string[] {
  const { style, width } = at;
  switch (token.type) {
    case "space":
    case "checkbox":
      // A box is its item's marker.
      return [];
    case "heading":
      return formatHeading(token, at);
    case "paragraph":
      return wrapSpans(toSpans(token.tokens, style), { width, style });
    case "text":
      return wrapSpans(toSpans(token.tokens ?? [token], style), { width, style });
    case "code":
      return formatCode(token, at);
    case "list":
      return formatList(token, at);
    case "blockquote":
      return within(at, 2, (inner) => joinBlocks(token.tokens, inner, "\n"))
        .map((line) => `${style.dim("│")} ${line}`.trimEnd());
    case "table":
      return formatMarkdownTable(token, { width, style });
    case "hr":
      return [style.dim("─".repeat(Math.min(width, 40)))];
    default:
      // HTML, definitions: as they were written.
      return sanitise(token.raw).trimEnd().split("\n").map((line) => style.dim(line));
  }
}

function formatHeading({ depth, tokens }: Tokens.Heading, at: Surroundings): string[] {
  const { style, width } = at;
  if (!style.isColored) {
    return wrapSpans([{ text: `${"#".repeat(depth)} ` }, ...toSpans(tokens, style)], {
      width,
      style,
    });
  }
  const spans = toSpans(tokens, style, depth === 1 ? ["bold", "underline"] : ["bold"]);
  return wrapSpans(spans, { width, style });
}

/** Code keeps its lines: who copies it wants them whole. */
function formatCode({ text }: Tokens.Code, { style, width, cuts }: Surroundings): string[] {
  return sanitise(text).split("\n").map((line) => {
    const shown = line.replaceAll("\t", "  ");
    return line === "" ? "" : `  ${style.cyan(cuts ? shorten(shown, width - 2) : shown)}`;
  });
}

function formatList(list: Tokens.List, at: Surroundings): string[] {
  const { style, lists } = at;
  const first = list.start === "" ? 1 : list.start;
  const numberWidth = String(first + list.items.length - 1).length + 2;
  const lines: string[] = [];
  for (const [index, item] of list.items.entries()) {
    const box = item.task ? item.checked ? "[x] " : "[ ] " : "";
    const marker = list.ordered
      ? `${first + index}.`.padEnd(numberWidth) + box
      : box || `${BULLETS[lists % BULLETS.length]} `;
    const markerWidth = marker.length;
    const body = within(
      { ...at, lists: lists + 1 },
      markerWidth,
      (inner) => joinBlocks(item.tokens, inner, list.loose ? "\n" : ""),
    );
    if (list.loose && index > 0) lines.push("");
    lines.push(`${style.dim(marker)}${body[0] ?? ""}`.trimEnd());
    lines.push(
      ...body.slice(1).map((line) => line === "" ? "" : " ".repeat(markerWidth) + line),
    );
  }
  return lines;
}

/** What stands inside a list or a quote, with less room. */
function within(
  at: Surroundings,
  indent: number,
  format: (inner: Surroundings) => string[],
): string[] {
  const depth = at.depth + 1;
  const isTooDeep = depth > DEEPEST;
  return format({
    ...at,
    depth,
    width: isTooDeep ? at.width : Math.max(LEAST_WIDTH, at.width - indent),
  });
}
