// Runs pieces of work one at a time, in the order of the calls.

/** A queue that runs pieces of work one at a time. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs `work` after all previous work and returns its result. An error rejects only this call; the queue continues. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Resolves when all work queued before this call has ended, successfully or not. */
  async settled(): Promise<void> {
    await this.#last;
  }
}

/** Queues by keys. Work with the same key runs one piece at a time, in the order of the calls. */
export class KeyedQueue<Key = string> {
  readonly #last = new Map<Key, Promise<void>>();

  /** Runs `work` after all previous work with this key and returns its result. An error rejects only this call. */
  async run<T>(key: Key, work: () => Promise<T>): Promise<T> {
    using _turn = await this.take(key);
    return await work();
  }

  /** Waits for all previous work with this key. The disposal of the result ends the new work. */
  async take(key: Key): Promise<Disposable> {
    const before = this.#last.get(key);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last.set(key, promise);
    await before;
    return {
      [Symbol.dispose]: () => {
        if (this.#last.get(key) === promise) this.#last.delete(key);
        resolve();
      },
    };
  }
}
