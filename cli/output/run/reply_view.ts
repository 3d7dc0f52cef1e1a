// What a model says, at a terminal: Markdown, laid out while it comes. Loaded where there is a terminal.
import { formatBlocks, type MarkdownOptions, parseMarkdown } from "../markdown/markdown.ts";
import type { Output } from "../output.ts";
import { StreamedMarkdown } from "../markdown/streamed_markdown.ts";
import { ShownReply } from "./shown_reply.ts";

/** Text is not laid out wider than this, even where the terminal is: long lines are hard to read. */
const WIDEST_TEXT = 120;

/** Prints the replies of one execution, one after the other, each with an empty line before it. */
export class ReplyView {
  readonly #output: Output;
  readonly #reply = new ShownReply();
  readonly #markdown: StreamedMarkdown;
  /** Whether a line of the open reply has been printed. */
  #isPrinted = false;

  constructor(output: Output) {
    this.#output = output;
    this.#markdown = new StreamedMarkdown(() => this.#options());
  }

  /** Whether some of a reply has come. */
  get isOpen(): boolean {
    return this.#reply.isOpen;
  }

  /** Takes the next piece of the open reply. */
  push(piece: string): void {
    this.#print(this.#markdown.push(this.#reply.push(piece)));
  }

  /** The end of the open reply that is not printed yet, as it looks so far. */
  preview(height: number): string[] {
    const lines = this.#markdown.preview(height - 1);
    return lines.length === 0 ? [] : ["", ...lines];
  }

  /** Ends the open reply, which is this text as a whole; false: what came was something else, and the text is not shown. */
  end(whole: string): boolean {
    const rest = this.#reply.end(whole);
    if (rest !== undefined) this.#print(this.#markdown.push(rest));
    this.#close();
    return rest !== undefined;
  }

  /** Ends the open reply as far as it came. */
  drop(): void {
    this.#reply.drop();
    this.#close();
  }

  /** Prints a whole reply, sanitised, that has not come in pieces; `alone` when nothing else is printed. */
  show(text: string, { alone = false } = {}): void {
    this.#isPrinted = alone;
    this.#print(formatBlocks(parseMarkdown(text), this.#options()));
    this.#isPrinted = false;
  }

  #close(): void {
    this.#print(this.#markdown.end());
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
