// A queue that runs work one piece at a time, in the order of the calls.

/** Runs pieces of work one at a time. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs `work` after all previous work, and returns its result. A failure rejects this call only; the next work runs. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Resolves when all work queued so far has ended, successfully or not. */
  async settled(): Promise<void> {
    await this.#last;
  }
}
