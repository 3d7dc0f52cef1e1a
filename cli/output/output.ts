// Prints the output of a command: results on standard output; notes, warnings and errors on standard error.
import { LiveRegion } from "./live_region.ts";
import { escapeJsonLine, sanitize, toOneLine } from "./sanitize.ts";
import { createStyle, type Style } from "./style.ts";
import { type Column, formatTable, type TableNotes } from "./table.ts";
import { OutputClosed, type Terminal } from "./terminal.ts";
import { pad, widthOf } from "./width.ts";
import { wrapText } from "./wrap.ts";

/** A named value of Output.fields(). False is not printed. */
export type Field = readonly [name: string, value: string] | false;

/** The output of one command. Options such as --quiet decide what is printed. */
export class Output {
  readonly stdout: Terminal;
  readonly stderr: Terminal;
  readonly quiet: boolean;
  readonly verbose: boolean;
  /** The text styles for standard output. */
  readonly style: Style;
  /** The text styles for standard error. */
  readonly errorStyle: Style;
  /** The progress lines at the end of the watched terminal; undefined if lines cannot be erased there, or with --quiet. */
  readonly live: LiveRegion | undefined;
  /** The terminal that the user watches: standard output if it is a terminal, otherwise standard error. */
  readonly watched: Terminal;

  constructor(
    options: { stdout: Terminal; stderr: Terminal; quiet: boolean; verbose: boolean },
  ) {
    this.stdout = options.stdout;
    this.stderr = options.stderr;
    this.quiet = options.quiet;
    this.verbose = options.verbose;
    this.style = createStyle({ colors: this.stdout.colors });
    this.errorStyle = createStyle({ colors: this.stderr.colors });
    this.watched = this.stdout.isTerminal ? this.stdout : this.stderr;
    this.live = this.watched.isErasable && !this.quiet ? new LiveRegion(this.watched) : undefined;
  }

  /** The text styles for the watched terminal. */
  get watchedStyle(): Style {
    return this.stdout.isTerminal ? this.style : this.errorStyle;
  }

  /** Prints a line of the result on standard output without changes. The caller must sanitize untrusted text. */
  line(text = ""): void {
    this.#print(this.stdout, `${text}\n`);
  }

  /** Prints a sentence of the result, wrapped at spaces. */
  sentence(text: string): void {
    this.line(wrapText(text, this.stdout.columns));
  }

  /** Prints a sentence of the result, unless --quiet is set. */
  detail(text: string): void {
    if (!this.quiet) this.sentence(text);
  }

  /** Prints a value as JSON: indented at a terminal, otherwise on one line. */
  json(value: unknown): void {
    this.jsonLine(JSON.stringify(value, null, this.stdout.isTerminal ? 2 : 0));
  }

  /** Prints JSON text with its control characters escaped. */
  jsonLine(text: string): void {
    this.line(escapeJsonLine(text));
  }

  /** Prints a table of the result. A column that is `false` is omitted. */
  table<Row>(
    rows: readonly Row[],
    columns: readonly (Column<Row> | false)[],
    notes: TableNotes<Row> = {},
  ): void {
    const shown = columns.filter((column) => column !== false);
    const { stdout: { columns: width }, style } = this;
    this.line(formatTable(rows, shown, { width, style, ...notes }));
  }

  /**
   * Prints rows with a name and a value. A value that does not fit beside its name is printed on its own line, so that the
   * user can copy it.
   */
  fields(fields: readonly Field[]): void {
    const shown = fields.filter((field) => field !== false);
    const width = Math.max(0, ...shown.map(([name]) => widthOf(name)));
    for (const [name, text] of shown) {
      const value = toOneLine(text);
      const isBelow = width + widthOf(value) + 4 > this.stdout.columns;
      if (isBelow) this.line(`  ${this.style.dim(name)}\n    ${value}`);
      else this.line(`  ${this.style.dim(pad(name, width))}  ${value}`);
    }
  }

  /** Prints progress or a hint on standard error, unless --quiet is set. */
  note(text: string): void {
    if (!this.quiet) this.errorLine(this.errorStyle.dim(this.#wrapError(sanitize(text))));
  }

  /** Prints an important note on standard error, also with --quiet. */
  notice(text: string): void {
    this.errorLine(this.#wrapError(sanitize(text)));
  }

  /** Prints a warning on standard error, unless --quiet is set. */
  warning(text: string): void {
    if (!this.quiet) {
      this.#complain(this.errorStyle.yellow("Warning:"), text);
    }
  }

  /** Prints an error on standard error. */
  error(text: string): void {
    this.#complain(this.errorStyle.red("Error:"), text);
  }

  /** Prints a line on standard error without changes. Does nothing if the reader has closed standard error. */
  errorLine(text: string): void {
    try {
      this.#print(this.stderr, `${text}\n`);
    } catch (error) {
      if (!(error instanceof OutputClosed)) throw error;
    }
  }

  #complain(title: string, text: string): void {
    this.errorLine(this.#wrapError(`${title} ${sanitize(text)}`));
  }

  #wrapError(text: string): string {
    return wrapText(text, this.stderr.columns);
  }

  #print(terminal: Terminal, text: string): void {
    if (this.live === undefined || !terminal.isTerminal) terminal.write(text);
    else if (terminal === this.watched) this.live.writeAbove(text);
    else this.live.makeWay(() => terminal.write(text));
  }
}
