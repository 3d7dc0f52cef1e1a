// What a command says: results on standard output, everything about them on standard error.
import { escapeJsonLine, sanitise, toOneLine } from "./sanitise.ts";
import { createStyle, type Style } from "./style.ts";
import { type Column, formatTable } from "./table.ts";
import { OutputClosed, type Terminal } from "./terminal.ts";
import { pad, widthOf } from "./width.ts";

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

  constructor(
    options: { stdout: Terminal; stderr: Terminal; quiet: boolean; verbose: boolean },
  ) {
    this.stdout = options.stdout;
    this.stderr = options.stderr;
    this.quiet = options.quiet;
    this.verbose = options.verbose;
    this.style = createStyle({ colors: this.stdout.colors });
    this.errorStyle = createStyle({ colors: this.stderr.colors });
  }

  /** A line of the result, as it is: text from elsewhere must be sanitised. */
  line(text = ""): void {
    this.stdout.write(`${text}\n`);
  }

  /** A part of a line of the result, as it is. */
  write(text: string): void {
    this.stdout.write(text);
  }

  /** A line of the result that --quiet leaves out. */
  detail(text: string): void {
    if (!this.quiet) this.line(text);
  }

  /** A value as JSON: indented for a person, on one line for a program. */
  json(value: unknown): void {
    this.jsonLine(JSON.stringify(value, null, this.stdout.isTerminal ? 2 : 0));
  }

  /** JSON text as it came, safe to show. */
  jsonLine(text: string): void {
    this.line(escapeJsonLine(text));
  }

  /** A table of the result. */
  table(columns: readonly Column[], rows: readonly (readonly string[])[]): void {
    this.line(formatTable(columns, rows, { width: this.stdout.columns, style: this.style }));
  }

  /** Names and values below each other. */
  fields(fields: readonly (readonly [name: string, value: string])[]): void {
    const width = Math.max(0, ...fields.map(([name]) => widthOf(name)));
    for (const [name, value] of fields) {
      this.line(`  ${this.style.dim(pad(name, width))}  ${toOneLine(value)}`);
    }
  }

  /** What is going on, for the person who waits. --quiet leaves it out. */
  note(text: string): void {
    if (!this.quiet) this.errorLine(this.errorStyle.dim(sanitise(text)));
  }

  /** Something odd that stops nothing. --quiet leaves it out. */
  warning(text: string): void {
    if (!this.quiet) {
      this.errorLine(`${this.errorStyle.yellow("Warning:")} ${sanitise(text)}`);
    }
  }

  /** What went wrong. */
  error(text: string): void {
    this.errorLine(`${this.errorStyle.red("Error:")} ${sanitise(text)}`);
  }

  /** A line on standard error, as it is. That nobody reads it is no reason to stop. */
  errorLine(text: string): void {
    try {
      this.stderr.write(`${text}\n`);
    } catch (error) {
      if (!(error instanceof OutputClosed)) throw error;
    }
  }
}
