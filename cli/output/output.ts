// What a command says: results on standard output, everything about them on standard error.
import { LiveRegion } from "./live_region.ts";
import { escapeJsonLine, sanitise, toOneLine } from "./sanitise.ts";
import { createStyle, type Style } from "./style.ts";
import { type Column, formatTable, type TableNotes } from "./table.ts";
import { OutputClosed, type Terminal } from "./terminal.ts";
import { pad, widthOf } from "./width.ts";
import { wrapText } from "./wrap.ts";

/** The voice of one command. */
export class Output {
  readonly stdout: Terminal;
  readonly stderr: Terminal;
  readonly quiet: boolean;
  readonly verbose: boolean;
  /** For text on standard output. */
  readonly style: Style;
  /** For text on standard error. */
  readonly errorStyle: Style;
  /** Where something may move: below the results, or below the notes where the results go to a file. */
  readonly live: LiveRegion | undefined;
  readonly #liveTerminal: Terminal;

  constructor(
    options: { stdout: Terminal; stderr: Terminal; quiet: boolean; verbose: boolean },
  ) {
    this.stdout = options.stdout;
    this.stderr = options.stderr;
    this.quiet = options.quiet;
    this.verbose = options.verbose;
    this.style = createStyle({ colors: this.stdout.colors });
    this.errorStyle = createStyle({ colors: this.stderr.colors });
    this.#liveTerminal = this.stdout.isTerminal ? this.stdout : this.stderr;
    this.live = this.#liveTerminal.isErasable && !this.quiet
      ? new LiveRegion(this.#liveTerminal)
      : undefined;
  }

  /** The style of the terminal that a person watches: that of the results, or of the notes. */
  get watchedStyle(): Style {
    return this.stdout.isTerminal ? this.style : this.errorStyle;
  }

  /** The terminal that a person watches. */
  get watched(): Terminal {
    return this.#liveTerminal;
  }

  /** A line of the result, as it is: text from elsewhere must be sanitised. */
  line(text = ""): void {
    this.#print(this.stdout, `${text}\n`);
  }

  /** A sentence of the result, broken between words where the terminal is narrow. */
  sentence(text: string): void {
    this.line(wrapText(text, this.stdout.columns));
  }

  /** A sentence of the result that --quiet leaves out. */
  detail(text: string): void {
    if (!this.quiet) this.sentence(text);
  }

  /** A value as JSON: indented for a person, on one line for a program. */
  json(value: unknown): void {
    this.jsonLine(JSON.stringify(value, null, this.stdout.isTerminal ? 2 : 0));
  }

  /** JSON text as it came, safe to show. */
  jsonLine(text: string): void {
    this.line(escapeJsonLine(text));
  }

  /** A table of the result, without the columns that are false. */
  table<Row>(
    rows: readonly Row[],
    columns: readonly (Column<Row> | false)[],
    notes: TableNotes<Row> = {},
  ): void {
    const shown = columns.filter((column) => column !== false);
    const { stdout: { columns: width }, style } = this;
    this.line(formatTable(rows, shown, { width, style, ...notes }));
  }

  /** Names and values below each other; a value that is too wide stands below its name, to be copied whole. */
  fields(fields: readonly (readonly [name: string, value: string])[]): void {
    const width = Math.max(0, ...fields.map(([name]) => widthOf(name)));
    for (const [name, text] of fields) {
      const value = toOneLine(text);
      const isBelow = width + widthOf(value) + 4 > this.stdout.columns;
      if (isBelow) this.line(`  ${this.style.dim(name)}\n    ${value}`);
      else this.line(`  ${this.style.dim(pad(name, width))}  ${value}`);
    }
  }

  /** What is being done, for the person who waits. --quiet leaves it out. */
  note(text: string): void {
    if (!this.quiet) this.errorLine(this.errorStyle.dim(this.#wrapError(sanitise(text))));
  }

  /** What the person must know, even with --quiet. */
  notice(text: string): void {
    this.errorLine(this.#wrapError(sanitise(text)));
  }

  /** Something odd that stops nothing. --quiet leaves it out. */
  warning(text: string): void {
    if (!this.quiet) {
      this.#complain(this.errorStyle.yellow("Warning:"), text);
    }
  }

  /** What went wrong. */
  error(text: string): void {
    this.#complain(this.errorStyle.red("Error:"), text);
  }

  /** A line on standard error, as it is. A closed standard error is not a reason to stop. */
  errorLine(text: string): void {
    try {
      this.#print(this.stderr, `${text}\n`);
    } catch (error) {
      if (!(error instanceof OutputClosed)) throw error;
    }
  }

  #complain(title: string, text: string): void {
    this.errorLine(this.#wrapError(`${title} ${sanitise(text)}`));
  }

  #wrapError(text: string): string {
    return wrapText(text, this.stderr.columns);
  }

  #print(terminal: Terminal, text: string): void {
    if (this.live === undefined || !terminal.isTerminal) terminal.write(text);
    else if (terminal === this.#liveTerminal) this.live.writeAbove(text);
    else this.live.makeWay(() => terminal.write(text));
  }
}
