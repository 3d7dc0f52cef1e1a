// Formats Markdown for a terminal. The parser package is large, so this module is imported only to print an answer at a
// terminal.
import { getDefaults, marked, type MarkedToken, type Token, Tokenizer, type Tokens } from "marked";
import { toSpans } from "./markdown_inline.ts";
import { formatMarkdownTable } from "./markdown_table.ts";
import { sanitize } from "../sanitize.ts";
import type { Style } from "../style.ts";
import { shorten, widthOf } from "../width.ts";
import { wrapSpans } from "../wrap.ts";

/** The layout of formatted Markdown. */
export interface MarkdownOptions {
  /** The maximum width of a line in terminal cells. */
  width: number;
  style: Style;
  /** If true, lines that do not wrap (code, addresses) are shortened to the width. */
  cuts?: boolean;
}

/** The minimum width of a line inside lists and quotes. */
const LEAST_WIDTH = 16;
/** The maximum depth to which lists and quotes are indented. Text at a greater depth is not narrower. */
const DEEPEST = 8;
const BULLETS = ["•", "◦", "▪"] as const;

/**
 * A tokenizer that does not resolve link definitions. A reply is printed block by block, and definitions usually come after
 * the blocks that use them.
 */
class BlockwiseTokenizer extends Tokenizer {
  #count = 0;

  override def(source: string): Tokens.Def | undefined {
    const token = super.def(source);
    // The tag contains a NUL character, so that no link uses it. The number makes the tags of definitions different.
    return token && { ...token, tag: `\0${this.#count++}` };
  }
}

/** Parses a sanitized text and returns its blocks. Each block contains its source text. */
export function parseMarkdown(text: string): Token[] {
  try {
    return marked.lexer(text, { ...getDefaults(), tokenizer: new BlockwiseTokenizer() });
  } catch (error) {
    // The parser overflows the stack on thousands of nested quotes or lists. The text is then printed unchanged.
    if (!(error instanceof RangeError)) throw error;
    return [{ type: "html", raw: text, text }];
  }
}

/** Returns blocks as styled lines, with an empty line between two blocks. */
export function formatBlocks(tokens: readonly Token[], options: MarkdownOptions): string[] {
  return joinBlocks(tokens, { ...options, depth: 0, lists: 0 }, "\n").map((line) =>
    options.cuts && widthOf(line) > options.width ? shorten(line, options.width) : line
  );
}

interface Surroundings extends MarkdownOptions {
  /** The number of lists and quotes that contain the block. */
  depth: number;
  /** The number of lists that contain the block. */
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
      // The marker of the list item already shows the checkbox.
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
      return joinBlocks(token.tokens, within(at, 2), "\n")
        .map((line) => `${style.dim("│")} ${line}`.trimEnd());
    case "table":
      return formatMarkdownTable(token, { width, style });
    case "hr":
      return [style.dim("─".repeat(Math.min(width, 40)))];
    default:
      // HTML and link definitions are printed unchanged.
      return sanitize(token.raw).trimEnd().split("\n").map((line) => style.dim(line));
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

/** Returns the lines of a code block. They do not wrap, so that the user can copy the code. */
function formatCode({ text }: Tokens.Code, { style, width, cuts }: Surroundings): string[] {
  return sanitize(text).split("\n").map((line) => {
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
    const inner = within({ ...at, lists: lists + 1 }, markerWidth);
    const body = joinBlocks(item.tokens, inner, list.loose ? "\n" : "");
    if (list.loose && index > 0) lines.push("");
    lines.push(`${style.dim(marker)}${body[0] ?? ""}`.trimEnd());
    lines.push(
      ...body.slice(1).map((line) => line === "" ? "" : " ".repeat(markerWidth) + line),
    );
  }
  return lines;
}

/** Returns the surroundings of the content of a list or quote, with the reduced width. */
function within(at: Surroundings, indent: number): Surroundings {
  const depth = at.depth + 1;
  const width = depth > DEEPEST ? at.width : Math.max(LEAST_WIDTH, at.width - indent);
  return { ...at, depth, width };
}
