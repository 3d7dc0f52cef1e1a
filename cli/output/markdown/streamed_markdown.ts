// Formats Markdown that arrives in pieces. Each block is formatted when the next block begins.
import type { Token } from "marked";
import { formatBlocks, type MarkdownOptions, parseMarkdown } from "./markdown.ts";
import { shorten } from "../width.ts";

/**
 * The length from which a block counts as long. A long block is parsed again only after it has grown by the factor GROWTH.
 */
const LONG_BLOCK = 8_192;
const GROWTH = 1.25;

/** A formatter that receives a text piece by piece. All returned lines together equal formatBlocks() of the whole text. */
export class StreamedMarkdown {
  readonly #options: () => MarkdownOptions;
  /** The text of the current block, which has not been returned yet. */
  #open = "";
  /** The length that the current block must reach before it is parsed again. */
  #parseAt = 0;
  #hasBlocks = false;

  /** Creates a formatter. `options` is called for each block, because the size of the terminal may change. */
  constructor(options: () => MarkdownOptions) {
    this.#options = options;
  }

  /** Adds the next piece, and returns the lines of the blocks that it completes. */
  push(piece: string): string[] {
    this.#open += piece;
    if (!piece.includes("\n") || this.#open.length < this.#parseAt) return [];
    // Omits the last line, which may be incomplete.
    const lineEnd = this.#open.lastIndexOf("\n") + 1;
    const blocks = parseMarkdown(this.#open.slice(0, lineEnd));
    const last = blocks.findLastIndex(({ type }) => type !== "space");
    const done = blocks.slice(0, Math.max(last, 0));
    const length = done.reduce((sum, { raw }) => sum + raw.length, 0);
    this.#open = this.#open.slice(length);
    this.#parseAt = this.#open.length < LONG_BLOCK ? 0 : this.#open.length * GROWTH;
    return this.#format(done);
  }

  /** Ends the text and returns the lines of its last blocks. */
  end(): string[] {
    const lines = this.#format(parseMarkdown(this.#open));
    this.#open = "";
    this.#parseAt = 0;
    this.#hasBlocks = false;
    return lines;
  }

  /** Returns at most `height` last lines of the current block, each shortened to the width. */
  preview(height: number): string[] {
    const options = { ...this.#options(), cuts: true };
    if (this.#open.trim() === "" || height < 1) return [];
    if (this.#open.length < LONG_BLOCK) {
      return formatBlocks(parseMarkdown(this.#open), options).slice(-height);
    }
    const end = this.#open.slice(-LONG_BLOCK).trimEnd().split("\n").slice(-height);
    return end.map((line) => shorten(line.replaceAll("\t", "  "), options.width));
  }

  #format(blocks: readonly Token[]): string[] {
    const lines = formatBlocks(blocks, this.#options());
    if (lines.length === 0) return [];
    const between = this.#hasBlocks ? [""] : [];
    this.#hasBlocks = true;
    return [...between, ...lines];
  }
}
