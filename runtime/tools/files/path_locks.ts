// Locks that allow one writer per path. The calls of one reply run in order, but a timed-out call may still be writing, and
// other runs write to the same memory.

/** Runs work on the same key one after the other, in the order of the requests. */
export class PathLocks {
  readonly #tails = new Map<string, Promise<void>>();

  /** Runs `work` after all earlier work on any of these keys has ended. */
  async run<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
    const mine = Promise.withResolvers<void>();
    const wanted = [...new Set(keys)];
    // All tails are replaced at once, so that two callers with the same keys cannot wait for each other.
    const before = wanted.map((key) => this.#tails.get(key));
    for (const key of wanted) this.#tails.set(key, mine.promise);
    try {
      await Promise.all(before);
      return await work();
    } finally {
      for (const key of wanted) {
        if (this.#tails.get(key) === mine.promise) this.#tails.delete(key);
      }
      mine.resolve();
    }
  }
}
