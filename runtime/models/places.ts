// A number of places for who wants to do something at the same time. The others wait in the order in which they came.

/** Places, given out in order. */
export class Places {
  #limit: number;
  #taken = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether the next one has to wait. */
  get isFull(): boolean {
    return this.#taken >= this.#limit;
  }

  get taken(): number {
    return this.#taken;
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** From now on there are so many; who has one keeps it. */
  resize(limit: number): void {
    this.#limit = limit;
    while (!this.isFull && this.#waiting.length > 0) {
      this.#taken++;
      this.#waiting.shift()?.();
    }
  }

  /** Waits for a place and holds it until disposed. Rejects with `signal.reason` when that aborts first. */
  async enter(signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted();
    if (this.isFull) await this.#wait(signal);
    else this.#taken++;
    let isHeld = true;
    return {
      [Symbol.dispose]: () => {
        if (!isHeld) return;
        isHeld = false;
        this.#leave();
      },
    };
  }

  async #wait(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    // Once admitted, a late abort must not take a place out of the line.
    const admit = () => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    };
    const onAbort = () => {
      this.#waiting.splice(this.#waiting.indexOf(admit), 1);
      reject(signal.reason);
    };
    this.#waiting.push(admit);
    signal.addEventListener("abort", onAbort, { once: true });
    await promise;
  }

  /** The place goes straight to the next in line, so that nobody can overtake; to nobody where there are fewer now. */
  #leave(): void {
    const next = this.#taken > this.#limit ? undefined : this.#waiting.shift();
    if (next === undefined) this.#taken--;
    else next();
  }
}
