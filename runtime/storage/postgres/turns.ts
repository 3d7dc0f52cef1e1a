// Runs the changes of each execution one after the other.

/** The turns of the changes in this process, by execution. */
export class Turns {
  readonly #last = new Map<number, Promise<void>>();

  /** Waits for all earlier turns of an execution. The disposal ends the new turn. */
  async take(executionId: number): Promise<Disposable> {
    const before = this.#last.get(executionId);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last.set(executionId, promise);
    await before;
    return {
      [Symbol.dispose]: () => {
        if (this.#last.get(executionId) === promise) this.#last.delete(executionId);
        resolve();
      },
    };
  }
}
