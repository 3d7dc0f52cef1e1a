// Draws the progress line of a run: the current activity, its duration, and the number of tokens so far.
import type { Clock } from "../../context/app.ts";
import { formatCount } from "../figures.ts";
import type { Output } from "../output.ts";
import { OutputClosed } from "../terminal.ts";
import { formatElapsed } from "../time.ts";
import { shorten, widthOf } from "../width.ts";

/**
 * The interval between the pictures of the animation. The first picture appears after one interval, so that a short
 * activity shows nothing.
 */
const TICK_MS = 100;
const PICTURES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] as const;
/** The maximum number of lines of an incomplete reply that are shown. */
const PREVIEW_LINES = 8;
/** The number of rows of the screen that the preview of a reply leaves free. */
const KEPT_LINES = 6;
/** The approximate number of characters of a token, for estimates. */
const CHARACTERS_PER_TOKEN = 4;

/** The objects that an Activity needs. */
export interface ActivityOptions {
  output: Output;
  clock: Clock;
  /** Returns at most `height` lines of the incomplete reply, which are drawn above the progress line. */
  preview: (height: number) => string[];
}

/** The progress line at the end of the terminal. Every method does nothing if the output has no live region. */
export class Activity {
  readonly #options: ActivityOptions;
  #label = "";
  #since = 0;
  #tokens = 0;
  #characters = 0;
  #ticking: AbortController | undefined;

  constructor(options: ActivityOptions) {
    this.#options = options;
  }

  /** Shows `label` as the current activity. The elapsed time restarts if the label is new, unless `isPart` is true. */
  begin(label: string, { isPart = false } = {}): void {
    if (this.#options.output.live === undefined) return;
    const isNew = label !== this.#label && !isPart;
    if (isNew || this.#ticking === undefined) this.#since = this.#options.clock.now();
    this.#label = label;
    if (this.#ticking !== undefined) return;
    this.#ticking = new AbortController();
    void this.#tick(this.#ticking.signal);
  }

  /** Adds the characters of a reply piece to the estimate of the token count. */
  received(characters: number): void {
    this.#characters += characters;
  }

  /** Sets the exact token count so far, and resets the estimate. */
  counted(tokens: number): void {
    this.#tokens = tokens;
    this.#characters = 0;
  }

  /** Erases the progress line until begin() is called again. */
  rest(): void {
    this.#ticking?.abort();
    this.#ticking = undefined;
    this.#options.output.live?.draw([]);
  }

  async #tick(signal: AbortSignal): Promise<void> {
    try {
      for (let count = 0;; count++) {
        await this.#options.clock.sleep(TICK_MS, signal);
        this.#draw(PICTURES[count % PICTURES.length] ?? "");
      }
    } catch (error) {
      // If the output is closed, the next write of other code throws OutputClosed.
      if (!signal.aborted && !(error instanceof OutputClosed)) throw error;
    }
  }

  #draw(picture: string): void {
    const lines = () => this.#lines(picture);
    this.#options.output.live?.draw(lines(), lines);
  }

  #lines(picture: string): string[] {
    const { watched, watchedStyle: style } = this.#options.output;
    const preview = this.#options.preview(Math.min(PREVIEW_LINES, watched.rows - KEPT_LINES));
    const figures = ` · ${this.#figures()}`;
    // The line must be narrower than the terminal, because a line of the full width would wrap.
    const room = watched.columns - 1 - widthOf(picture) - 1 - widthOf(figures);
    const label = shorten(this.#label, Math.max(room, 0));
    const line = shorten(`${label}${figures}`, watched.columns - 3);
    return [
      ...preview,
      ...(preview.length > 0 ? [""] : []),
      `${style.cyan(picture)} ${line.slice(0, label.length)}${style.dim(line.slice(label.length))}`,
    ];
  }

  #figures(): string {
    const estimate = Math.ceil(this.#characters / CHARACTERS_PER_TOKEN);
    const tokens = this.#tokens + estimate;
    return [
      formatElapsed(this.#options.clock.now() - this.#since),
      ...(tokens === 0 ? [] : [`${estimate > 0 ? "~" : ""}${formatCount(tokens)} tokens`]),
    ].join(" · ");
  }
}
