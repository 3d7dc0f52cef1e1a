// What a model says, at a terminal: Markdown, laid out while it comes. Loaded where there is a terminal.
import { formatBlocks, type MarkdownOptions, parseMarkdown } from "../markdown/markdown.ts";
import type { Output } from "../output.ts";
import { StreamedMarkdown } from "../markdown/streamed_markdown.ts";
import { sanitise } from "../sanitise.ts";
import { SanitisedStream } from "../sanitised_stream.ts";

/** Text is not laid out wider than this, even where the terminal is: long lines are hard to read. */
const WIDEST_TEXT = 120;

/** Prints the replies of one execution, one after the other, each with an empty line before it. */
export class ReplyView {
  readonly #output: Output;
  readonly #markdown: StreamedMarkdown;
  #stream = new SanitisedStream();
  /** The text of the open reply so far. */
  #shown = "";
  /** Whether a line of the open reply has been printed. */
  #isPrinted = false;

  constructor(output: Output) {
    this.#output = output;
    this.#markdown = new StreamedMarkdown(() => this.#options());
  }

  /** Whether some of a reply has come. */
  get isOpen(): boolean {
    return this.#shown !== "";
  }

  /** Takes the next piece of the open reply. */
  push(piece: string): void {
    const text = this.#stream.push(piece);
    this.#shown += text;
    this.#print(this.#markdown.push(text));
  }

  /** The end of the open reply that is not printed yet, as it looks so far. */
  preview(height: number): string[] {
    const lines = this.#markdown.preview(height - 1);
    return lines.length === 0 ? [] : ["", ...lines];
  }

  /** Ends the open reply, which is this text as a whole; false: what came was something else, and the text is not shown. */
  end(whole: string): boolean {
    const text = sanitise(whole);
    const isSame = text.startsWith(this.#shown);
    if (isSame) this.#print(this.#markdown.push(text.slice(this.#shown.length)));
    this.drop();
    return isSame;
  }

  /** Ends the open reply as far as it came. */
  drop(): void {
    this.#stream = new SanitisedStream();
    this.#shown = "";
    this.#print(this.#markdown.end());
    this.#isPrinted = false;
  }

  /** Prints a whole reply, sanitised, that has not come in pieces; `alone` when nothing else is printed. */
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
