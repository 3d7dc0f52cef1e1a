// Draws, updates and erases lines at the end of a terminal's output, such as progress lines.
import type { Terminal } from "./terminal.ts";
import { widthOf } from "./width.ts";

/**
 * The control sequence that moves the cursor to the beginning of its line and erases the line. (rejected: erasing everything
 * below the cursor with `ESC [ J`. At the top of the screen, tmux then keeps the erased lines above it.)
 */
const ERASE_LINE = "\r\u001b[K";
const ERASE_LINE_ABOVE = "\u001b[A\u001b[K";

/**
 * The lines at the end of a terminal's output that change over time. Each change is one write, so that nothing flickers.
 * The cursor stays at the end of the last line. All other output to the terminal must use writeAbove() or makeWay().
 */
export class LiveRegion {
  readonly #terminal: Terminal;
  #lines: readonly string[] = [];
  #refresh: () => readonly string[] = () => [];

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /**
   * Replaces the lines; each must be narrower than the terminal. After writeAbove() has printed other output, the region
   * draws the lines that `refresh` returns, because the printed output may already contain the text of the old lines. The
   * default `refresh` returns the same lines.
   */
  draw(lines: readonly string[], refresh: () => readonly string[] = () => lines): void {
    this.#refresh = refresh;
    if (lines.join("\n") === this.#lines.join("\n")) return;
    const erase = this.#erasure();
    this.#lines = lines;
    this.#terminal.write(erase + lines.join("\n"));
  }

  /** Writes complete lines above the region. */
  writeAbove(text: string): void {
    const erase = this.#erasure();
    if (this.#lines.length > 0) this.#lines = this.#refresh();
    this.#terminal.write(erase + text + this.#lines.join("\n"));
  }

  /**
   * Erases the region, calls `write`, and draws the region again. `write` writes complete lines to another stream of the
   * same terminal.
   */
  makeWay(write: () => void): void {
    if (this.#lines.length === 0) return write();
    const refresh = this.#refresh;
    this.draw([]);
    write();
    this.draw(refresh(), refresh);
  }

  /**
   * Draws the region at the cursor's line from now on. Called after Ctrl+Z, because another program may have written below
   * the region.
   */
  forget(): void {
    // If no other program has written, the region's last line is visible and must be erased.
    if (this.#lines.length > 0) this.#terminal.write(ERASE_LINE);
    this.#lines = [];
  }

  /**
   * Returns the control sequence that erases the region. If the terminal has become narrower, a line of the region occupies
   * several rows.
   */
  #erasure(): string {
    if (this.#lines.length === 0) return "";
    const { columns } = this.#terminal;
    const height = this.#lines.reduce((sum, line) => {
      return sum + Math.max(1, Math.ceil(widthOf(line) / columns));
    }, 0);
    return ERASE_LINE + ERASE_LINE_ABOVE.repeat(height - 1);
  }
}
