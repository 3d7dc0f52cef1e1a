// A semaphore that admits its waiters in order of arrival.

/** Callers that wait in order of their tickets. */
export class WaitingLine {
  #waiting: { ticket: number; admit: () => void }[] = [];
  #tickets = 0;

  /** The number of waiting callers. */
  get length(): number {
    return this.#waiting.length;
  }

  /** Returns the ticket of a new caller: its position in the order of arrival. */
  takeTicket(): number {
    return this.#tickets++;
  }

  /** Waits for the admission. Leaves the line and rejects with `signal.reason` if the signal aborts during the wait. */
  async wait(ticket: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter = { ticket, admit: resolve };
    const before = this.#waiting.findLastIndex((one) => one.ticket < ticket);
    this.#waiting.splice(before + 1, 0, waiter);
    const onAbort = () => {
      this.#waiting = this.#waiting.filter((one) => one !== waiter);
      reject(signal.reason);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      await promise;
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** Admits the first waiting caller. Returns false if nobody waits. */
  admitNext(): boolean {
    const next = this.#waiting.shift();
    next?.admit();
    return next !== undefined;
  }
}

/** A semaphore with a limit that can change. Waiters are admitted in order of their tickets. */
export class FifoSemaphore {
  #limit: number;
  #held = 0;
  readonly #line = new WaitingLine();

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
    return this.#line.length;
  }

  /** Changes the limit. Callers that hold a place keep it. */
  resize(limit: number): void {
    this.#limit = limit;
    while (!this.isFull && this.#line.admitNext()) this.#held++;
  }

  /** Returns a place for a new caller. Later callers are behind it. The caller does not hold the place before take(). */
  join(): QueuePlace {
    return new QueuePlace(this, this.#line.takeTicket());
  }

  /** Waits for a place of a new caller, and returns it. It is held until it is disposed. */
  async acquire(signal: AbortSignal): Promise<QueuePlace> {
    const place = this.join();
    await place.take(signal);
    return place;
  }

  /** Waits until the caller with this ticket is admitted. Rejects with `signal.reason` if the signal aborts before. */
  async enter(ticket: number, signal: AbortSignal): Promise<void> {
    if (this.isFull) await this.#line.wait(ticket, signal);
    else this.#held++;
  }

  /**
   * Gives the free place to the next waiter, so that no new caller overtakes it. If the limit was lowered, the place is
   * dropped.
   */
  release(): void {
    if (this.#held > this.#limit || !this.#line.admitNext()) this.#held--;
  }
}

/** The place of one caller. Disposal lets the next caller take it. */
export class QueuePlace implements Disposable {
  readonly #semaphore: FifoSemaphore;
  readonly #ticket: number;
  #isHeld = false;

  constructor(semaphore: FifoSemaphore, ticket: number) {
    this.#semaphore = semaphore;
    this.#ticket = ticket;
  }

  /** True if the next take() waits. */
  get mustWait(): boolean {
    return !this.#isHeld && this.#semaphore.isFull;
  }

  /** Waits for the place; does nothing if the caller holds it. Rejects with `signal.reason` if the signal aborts. */
  async take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.#isHeld) await this.#semaphore.enter(this.#ticket, signal);
    this.#isHeld = true;
  }

  /** Lets the next caller take the place. A later take() still comes before all callers that joined after it. */
  leave(): void {
    if (this.#isHeld) this.#semaphore.release();
    this.#isHeld = false;
  }

  [Symbol.dispose](): void {
    this.leave();
  }
}
