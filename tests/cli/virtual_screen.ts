// A terminal in memory that interprets the control sequences of the command line, so that tests can read its screen.
import assert from "node:assert/strict";
import { OutputClosed, type Terminal } from "../../cli/output/terminal.ts";
import { widthOf } from "../../cli/output/width.ts";

/** A terminal with unlimited lines. */
export class VirtualScreen implements Terminal {
  readonly isTerminal = true;
  readonly isErasable = true;
  readonly isDumb = false;
  readonly colors: boolean;
  columns: number;
  rows = 24;
  isClosed = false;
  /** The screen's text after each write. */
  readonly pictures: string[] = [];
  #lines: string[][] = [[]];
  #row = 0;
  #column = 0;

  constructor(options: { columns?: number; colors?: boolean } = {}) {
    this.columns = options.columns ?? 80;
    this.colors = options.colors ?? false;
  }

  /** The screen's text, without trailing blanks and empty lines. */
  get text(): string {
    return this.#lines.map((line) => line.join("").trimEnd()).join("\n").trimEnd();
  }

  /** The line of the cursor, from 0. */
  get row(): number {
    return this.#row;
  }

  write(text: string): void {
    if (this.isClosed) throw new OutputClosed("closed");
    // deno-lint-ignore no-control-regex -- terminals read control characters
    for (const [part] of text.matchAll(/\u001b\[[0-9;?]*[A-Za-z]|\u001b|[\s\S]/gu)) {
      this.#take(part);
    }
    this.pictures.push(this.text);
  }

  #take(part: string): void {
    if (part === "\r") this.#column = 0;
    else if (part === "\n") this.#nextLine();
    else if (part.length > 2) this.#obey(part);
    else this.#put(part);
  }

  #obey(sequence: string): void {
    switch (sequence.at(-1)) {
      case "A":
        this.#row -= Number(sequence.slice(2, -1) || 1);
        return assert.ok(this.#row >= 0, "the cursor leaves the screen");
      case "K":
        this.#lines[this.#row]?.splice(this.#column);
        return;
      case "m":
        return;
      default:
        assert.fail(`this screen does not know ${JSON.stringify(sequence)}`);
    }
  }

  #put(char: string): void {
    assert.doesNotMatch(char, /[^\P{Cc}\t]/u, "a control that this screen does not know");
    const width = widthOf(char);
    if (this.#column + width > this.columns) this.#nextLine();
    const line = this.#lines[this.#row] ??= [];
    while (line.length < this.#column) line.push(" ");
    line[this.#column] = char;
    for (let cell = 1; cell < width; cell++) line[this.#column + cell] = "";
    this.#column += width;
  }

  #nextLine(): void {
    this.#row++;
    this.#column = 0;
    this.#lines[this.#row] ??= [];
  }
}
