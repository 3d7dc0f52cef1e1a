// Prints the replies of a model as Markdown while they stream. This module is imported only if the output is a terminal.
import { formatBlocks, type MarkdownOptions, parseMarkdown } from "../markdown/markdown.ts";
import type { Output } from "../output.ts";
import { StreamedMarkdown } from "../markdown/streamed_markdown.ts";
import { sanitize } from "../sanitize.ts";
import { SanitizedStream } from "../sanitized_stream.ts";

/** The maximum width of text, because longer lines are hard to read. */
const WIDEST_TEXT = 120;

/** A view of the replies of one execution. It prints an empty line before each reply. */
export class ReplyView {
  readonly #output: Output;
  readonly #markdown: StreamedMarkdown;
  #stream = new SanitizedStream();
  /** The text of the current reply that has arrived so far. */
  #shown = "";
  /** True if a line of the current reply has been printed. */
  #isPrinted = false;

  constructor(output: Output) {
    this.#output = output;
    this.#markdown = new StreamedMarkdown(() => this.#options());
  }

  /** Returns whether a piece of the current reply has arrived. */
  get isOpen(): boolean {
    return this.#shown !== "";
  }

  /** Adds the next piece of the current reply, and prints the Markdown blocks that are complete. */
  push(piece: string): void {
    const text = this.#stream.push(piece);
    this.#shown += text;
    this.#print(this.#markdown.push(text));
  }

  /** Returns at most `height` last lines of the current reply that are not printed yet. */
  preview(height: number): string[] {
    const lines = this.#markdown.preview(height - 1);
    return lines.length === 0 ? [] : ["", ...lines];
  }

  /**
   * Ends the current reply and prints the rest of `whole`, its complete text. If the pieces differ from that text, prints
   * no rest of it and returns false.
   */
  end(whole: string): boolean {
    const text = sanitize(whole);
    const isSame = text.startsWith(this.#shown);
    if (isSame) this.#print(this.#markdown.push(text.slice(this.#shown.length)));
    this.drop();
    return isSame;
  }

  /** Ends the current reply, and prints the pieces that have arrived. */
  drop(): void {
    this.#stream = new SanitizedStream();
    this.#shown = "";
    this.#print(this.#markdown.end());
    this.#isPrinted = false;
  }

  /** Prints a complete, sanitized reply that has not streamed. With `alone`, prints no empty line before the reply. */
  show(text: string, { alone = false } = {}): void {
    this.#isPrinted = alone;
    this.#print(formatBlocks(parseMarkdown(text), this.#options()));
    this.#isPrinted = false;
  }

  #print(lines: readonly string[]): void {
    if (lines.length === 0) return;
    const before = this.#isPrinted ? "" : "\n";
    this.#isPrinted = true;
    this.#output.line(before + lines.join("\n"));
  }

  #options(): MarkdownOptions {
    const { stdout, style } = this.#output;
    return { width: Math.min(stdout.columns, WIDEST_TEXT), style };
  }
}
