// Locks by which calls wait for each other before they write a path. They are needed although the calls of one reply run in
// order: a timed-out call may continue to write, and other runs write to the same memory.

/** Locks by keys. Functions with the same key run one after the other, in the order of the requests. */
export class PathLocks {
  readonly #tails = new Map<string, Promise<void>>();

  /** Runs `work` after all earlier functions with any of these keys have ended. Returns its result. */
  async run<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
    const mine = Promise.withResolvers<void>();
    const wanted = [...new Set(keys)];
    // The keys are claimed without an await in between, so that two callers with the same keys cannot wait for each other.
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
