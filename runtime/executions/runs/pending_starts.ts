// What is about to run: accepted, or answered, and not yet among the active runs. Who looks for it there waits for it first.

/** Changes that are being stored and let executions run. */
export class PendingStarts {
  readonly #pending = new Set<Promise<unknown>>();

  /** Whether nothing is about to run. */
  get isEmpty(): boolean {
    return this.#pending.size === 0;
  }

  /** Counts a change until it has come to its end, and returns what it returns. */
  async track<T>(change: Promise<T>): Promise<T> {
    this.#pending.add(change);
    try {
      return await change;
    } finally {
      this.#pending.delete(change);
    }
  }

  /** Resolves when everything that is about to run now does, or has failed. Not for what is tracked itself. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#pending);
  }
}
