// Asks for one thing again and again as it changes, never twice at the same time: a request that comes while an answer is
// under way is served once, after it.

/** What a load came to. */
export type Loaded<T> = { data: T } | { failure: unknown };

/** One thing to be loaded, as often as it may have changed. */
export class Loader<T> {
  readonly #load: () => Promise<T>;
  readonly #onLoaded: (loaded: Loaded<T>) => void;
  #isBusy = false;
  #isWanted = false;
  #isClosed = false;

  constructor(load: () => Promise<T>, onLoaded: (loaded: Loaded<T>) => void) {
    this.#load = load;
    this.#onLoaded = onLoaded;
  }

  /** Loads, or loads once more after what is under way. */
  async ask(): Promise<void> {
    this.#isWanted = true;
    if (this.#isBusy) return;
    this.#isBusy = true;
    while (this.#isWanted && !this.#isClosed) {
      this.#isWanted = false;
      const loaded = await this.#load().then(
        (data) => ({ data }),
        (failure: unknown) => ({ failure }),
      );
      if (!this.#isClosed) this.#onLoaded(loaded);
    }
    this.#isBusy = false;
  }

  /** Nothing is reported any more. */
  close(): void {
    this.#isClosed = true;
  }
}
