// Draws, redraws and erases the changing lines at the end of a terminal.
import type { Terminal } from "./terminal.ts";
import { widthOf } from "./width.ts";

/** Moves to the beginning of the line and erases everything after it. */
const ERASE_BELOW = "\r\u001b[J";

/**
 * The changing lines below all other output. Each change is a single write, so that nothing flickers. The cursor stays
 * after the last line. Other output to the terminal must use `writeAbove`.
 */
export class LiveRegion {
  readonly #terminal: Terminal;
  #lines: readonly string[] = [];
  #refresh: () => readonly string[] = () => [];

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /**
   * Replaces the lines; each must be narrower than the terminal. `refresh` returns the lines again after something was
   * written above, which may contain their text. By default they stay the same.
   */
  draw(lines: readonly string[], refresh: () => readonly string[] = () => lines): void {
    this.#refresh = refresh;
    if (lines.join("\n") === this.#lines.join("\n")) return;
    const erase = this.#erasure();
    this.#lines = lines;
    this.#terminal.write(erase + lines.join("\n"));
  }

  /** Writes whole lines above the region. */
  writeAbove(text: string): void {
    const erase = this.#erasure();
    if (this.#lines.length > 0) this.#lines = this.#refresh();
    this.#terminal.write(erase + text + this.#lines.join("\n"));
  }

  /** Lets another stream of the same terminal write whole lines above the region. */
  makeWay(write: () => void): void {
    if (this.#lines.length === 0) return write();
    const refresh = this.#refresh;
    this.draw([]);
    write();
    this.draw(refresh(), refresh);
  }

  /** Restarts at the cursor's line after the process was stopped, because another program may have written above it. */
  forget(): void {
    // If no other program has written, the last line is still visible.
    if (this.#lines.length > 0) this.#terminal.write(ERASE_BELOW);
    this.#lines = [];
  }

  /** Returns the sequence that erases the lines. A narrower terminal has wrapped them into more rows. */
  #erasure(): string {
    if (this.#lines.length === 0) return "";
    const { columns } = this.#terminal;
    const height = this.#lines.reduce((sum, line) => {
      return sum + Math.max(1, Math.ceil(widthOf(line) / columns));
    }, 0);
    return (height > 1 ? `\u001b[${height - 1}A` : "") + ERASE_BELOW;
  }
}
