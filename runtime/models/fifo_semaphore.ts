// A semaphore that admits its waiters in order of arrival.

/** A semaphore with a limit that can change. Waiters are admitted in order of their tickets. */
export class FifoSemaphore {
  #limit: number;
  #held = 0;
  /** The waiting callers, in order of their tickets. */
  readonly #waiting: { ticket: number; admit: () => void }[] = [];
  #tickets = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** True if the next caller has to wait. */
  get isFull(): boolean {
    return this.#held >= this.#limit;
  }

  get held(): number {
    return this.#held;
  }

  /** The number of waiting callers. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Changes the limit. Callers that hold a place keep it. */
  resize(limit: number): void {
    this.#limit = limit;
    while (!this.isFull && this.#waiting.length > 0) {
      this.#held++;
      this.#waiting.shift()?.admit();
    }
  }

  /** Returns the ticket of a new caller: its position in the order of arrival. */
  takeTicket(): number {
    return this.#tickets++;
  }

  /**
   * Waits for a place. It is held until the result is disposed. A caller that has given its place back waits with its old
   * ticket. Rejects with `signal.reason` if the signal aborts during the wait.
   */
  async acquire(signal: AbortSignal, ticket: number = this.takeTicket()): Promise<Disposable> {
    signal.throwIfAborted();
    if (this.isFull) await this.#wait(signal, ticket);
    else this.#held++;
    let isHeld = true;
    return {
      [Symbol.dispose]: () => {
        if (!isHeld) return;
        isHeld = false;
        this.#release();
      },
    };
  }

  async #wait(signal: AbortSignal, ticket: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    // The abort listener is removed at the admission, so that a late abort does not remove another waiter.
    const admit = () => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    };
    const waiter = { ticket, admit };
    const onAbort = () => {
      this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
      reject(signal.reason);
    };
    const before = this.#waiting.findLastIndex((one) => one.ticket < ticket);
    this.#waiting.splice(before + 1, 0, waiter);
    signal.addEventListener("abort", onAbort, { once: true });
    await promise;
  }

  /**
   * Gives the free place to the next waiter, so that no new caller overtakes it. If the limit was lowered, the place is
   * dropped.
   */
  #release(): void {
    const next = this.#held > this.#limit ? undefined : this.#waiting.shift();
    if (next === undefined) this.#held--;
    else next.admit();
  }
}
