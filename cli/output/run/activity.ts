// The moving line of a run: the current activity, its duration and the tokens so far.
import type { Clock } from "../../context/app.ts";
import { formatCount } from "../figures.ts";
import type { Output } from "../output.ts";
import { OutputClosed } from "../terminal.ts";
import { formatElapsed } from "../time.ts";
import { shorten, widthOf } from "../width.ts";

/** The interval of the pictures. The first appears after one interval, so that a short activity shows nothing. */
const TICK_MS = 100;
const PICTURES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] as const;
/** The maximum number of lines shown of an incomplete reply. */
const PREVIEW_LINES = 8;
/** The lines of the screen that a preview does not use. */
const KEPT_LINES = 6;
/** The approximate number of characters of a token. */
const CHARACTERS_PER_TOKEN = 4;

/** The collaborators of an activity. */
export interface ActivityOptions {
  output: Output;
  clock: Clock;
  /** Returns the lines above the moving line. */
  preview: (height: number) => string[];
}

/** Shows the current activity at the end of the terminal until rest(). Does nothing if the output cannot move. */
export class Activity {
  readonly #output: Output;
  readonly #options: ActivityOptions;
  #label = "";
  #since = 0;
  #tokens = 0;
  #characters = 0;
  #ticking: AbortController | undefined;

  constructor(options: ActivityOptions) {
    this.#output = options.output;
    this.#options = options;
  }

  /** Starts an activity, or continues one with the same label. With `isPart` the start time is kept. */
  begin(label: string, { isPart = false } = {}): void {
    if (this.#output.live === undefined) return;
    const isNew = label !== this.#label && !isPart;
    if (isNew || this.#ticking === undefined) this.#since = this.#options.clock.now();
    this.#label = label;
    if (this.#ticking !== undefined) return;
    this.#ticking = new AbortController();
    void this.#tick(this.#ticking.signal);
  }

  /** Adds characters of a reply whose token count is not known yet. */
  received(characters: number): void {
    this.#characters += characters;
  }

  /** Sets the token count so far. */
  counted(tokens: number): void {
    this.#tokens = tokens;
    this.#characters = 0;
  }

  /** Erases the line until the next activity. */
  rest(): void {
    this.#ticking?.abort();
    this.#ticking = undefined;
    this.#output.live?.draw([]);
  }

  async #tick(signal: AbortSignal): Promise<void> {
    try {
      for (let count = 0;; count++) {
        await this.#options.clock.sleep(TICK_MS, signal);
        this.#draw(PICTURES[count % PICTURES.length] ?? "");
      }
    } catch (error) {
      // The next write reports a closed output.
      if (!signal.aborted && !(error instanceof OutputClosed)) throw error;
    }
  }

  #draw(picture: string): void {
    const lines = () => this.#lines(picture);
    this.#output.live?.draw(lines(), lines);
  }

  #lines(picture: string): string[] {
    const { watched, watchedStyle: style } = this.#output;
    const preview = this.#options.preview(Math.min(PREVIEW_LINES, watched.rows - KEPT_LINES));
    const figures = ` · ${this.#figures()}`;
    // A line as wide as the terminal would wrap.
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
