// Work that is done one piece after the other, in the order in which it was asked for.

/** Runs pieces of work one at a time. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs `work` after everything before it, and returns its result. A failure goes to its own caller; the next work runs. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Resolves when all that was asked for so far has ended, well or not. */
  async settled(): Promise<void> {
    await this.#last;
  }
}
