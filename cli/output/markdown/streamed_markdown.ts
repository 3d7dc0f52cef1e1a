// Markdown that arrives in pieces: each block is laid out once, when the next one has begun and nothing can change it.
import type { Token } from "marked";
import { formatBlocks, type MarkdownOptions, parseMarkdown } from "./markdown.ts";
import { shorten } from "../width.ts";

/** A block of more characters is looked at again only when it has grown by this share: a long one stays cheap. */
const LONG_BLOCK = 8_192;
const GROWTH = 1.25;

/** Lays out a text while it comes. What comes out, one after the other, is what formatBlocks() makes of the whole. */
export class StreamedMarkdown {
  readonly #options: () => MarkdownOptions;
  /** What has not been laid out: the block that grows. */
  #open = "";
  #lookAt = 0;
  #hasBlocks = false;

  /** The options are asked for at each block: a terminal changes its size. */
  constructor(options: () => MarkdownOptions) {
    this.#options = options;
  }

  /** The lines of the blocks that the piece completes. */
  push(piece: string): string[] {
    this.#open += piece;
    if (!piece.includes("\n") || this.#open.length < this.#lookAt) return [];
    // The last line may become anything.
    const lineEnd = this.#open.lastIndexOf("\n") + 1;
    const blocks = parseMarkdown(this.#open.slice(0, lineEnd));
    const last = blocks.findLastIndex(({ type }) => type !== "space");
    const done = blocks.slice(0, Math.max(last, 0));
    const length = done.reduce((sum, { raw }) => sum + raw.length, 0);
    this.#open = this.#open.slice(length);
    this.#lookAt = this.#open.length < LONG_BLOCK ? 0 : this.#open.length * GROWTH;
    return this.#format(done);
  }

  /** The lines of the rest: nothing follows. */
  end(): string[] {
    const lines = this.#format(parseMarkdown(this.#open));
    this.#open = "";
    this.#lookAt = 0;
    this.#hasBlocks = false;
    return lines;
  }

  /** The last lines of the block that grows, as it looks so far, each within the width. */
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
