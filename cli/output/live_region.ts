// The lines at the end of a terminal that change: drawn, drawn anew, taken away without a trace.
import type { Terminal } from "./terminal.ts";
import { widthOf } from "./width.ts";

/** To the beginning of the line, and everything from there on gone. */
const ERASE_BELOW = "\r\u001b[J";

/**
 * Lines below everything else. Each change is a single write, so that nothing flickers; the cursor stays behind the
 * last of them. Whatever else is written to the terminal meanwhile goes through `writeAbove`.
 */
export class LiveRegion {
  readonly #terminal: Terminal;
  #lines: readonly string[] = [];
  #refresh: () => readonly string[] = () => [];

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /**
   * Shows these lines instead of those before; each must be narrower than the terminal. `refresh` gives them anew when
   * something is written above, which may hold what stood in them. Absent: they stay.
   */
  draw(lines: readonly string[], refresh: () => readonly string[] = () => lines): void {
    this.#refresh = refresh;
    if (lines.join("\n") === this.#lines.join("\n")) return;
    const erase = this.#erasure();
    this.#lines = lines;
    this.#terminal.write(erase + lines.join("\n"));
  }

  /** Writes whole lines to this terminal as if the region were not there. */
  writeAbove(text: string): void {
    const erase = this.#erasure();
    if (this.#lines.length > 0) this.#lines = this.#refresh();
    this.#terminal.write(erase + text + this.#lines.join("\n"));
  }

  /** Lets another stream of the same terminal write whole lines as if the region were not there. */
  makeWay(write: () => void): void {
    if (this.#lines.length === 0) return write();
    const refresh = this.#refresh;
    this.draw([]);
    write();
    this.draw(refresh(), refresh);
  }

  /** Restarts in the line of the cursor after the process was stopped: the lines above may belong to another program. */
  forget(): void {
    // The last line is still there if no other program has written meanwhile.
    if (this.#lines.length > 0) this.#terminal.write(ERASE_BELOW);
    this.#lines = [];
  }

  /** What takes the lines away. A terminal that became narrower has broken them into more. */
  #erasure(): string {
    if (this.#lines.length === 0) return "";
    const { columns } = this.#terminal;
    const height = this.#lines.reduce((sum, line) => {
      return sum + Math.max(1, Math.ceil(widthOf(line) / columns));
    }, 0);
    return (height > 1 ? `\u001b[${height - 1}A` : "") + ERASE_BELOW;
  }
}
