// The line that moves while a person waits: what is being done, since when, and how many tokens it has taken.
import type { Clock } from "../../app.ts";
import { formatCount } from "../figures.ts";
import type { Output } from "../output.ts";
import { OutputClosed } from "../terminal.ts";
import { formatElapsed } from "../time.ts";
import { shorten, widthOf } from "../width.ts";

/** Between two pictures. The first comes after the first of them: what is over at once shows nothing. */
const TICK_MS = 100;
const PICTURES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] as const;
/** A part of a reply that is not whole yet takes so many lines at most. */
const PREVIEW_LINES = 8;
/** Lines of the screen that a preview leaves to what came before. */
const KEPT_LINES = 6;
/** What models make of a token, roughly. */
const CHARACTERS_PER_TOKEN = 4;

/** The surroundings of a shown activity. */
export interface ActivityOptions {
  output: Output;
  clock: Clock;
  /** Lines that stand above the line that moves. */
  preview: (height: number) => string[];
}

/** Shows that something is being done, at the end of the terminal, until it is told to rest. Does nothing where nothing can move. */
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

  /** Says what is being done from now on. The same once more changes nothing; a part of the same wait keeps its beginning. */
  begin(label: string, { isPart = false } = {}): void {
    if (this.#output.live === undefined) return;
    const isNew = label !== this.#label && !isPart;
    if (isNew || this.#ticking === undefined) this.#since = this.#options.clock.now();
    this.#label = label;
    if (this.#ticking !== undefined) return;
    this.#ticking = new AbortController();
    void this.#tick(this.#ticking.signal);
  }

  /** Counts characters of a reply whose tokens are not known yet. */
  received(characters: number): void {
    this.#characters += characters;
  }

  /** Tells the tokens that have been taken so far. */
  counted(tokens: number): void {
    this.#tokens = tokens;
    this.#characters = 0;
  }

  /** Takes everything away until something begins again. */
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
      // The output is closed: whoever writes next finds that out, too.
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
    // A line as wide as the terminal would make it break the next one.
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
