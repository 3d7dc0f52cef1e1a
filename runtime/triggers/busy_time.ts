// For how long something has been going on, all in all: the gaps in between do not count. Pure.

/** A stopwatch that runs only while something is in progress. */
export class BusyTime {
  /** How long something counts as going on after its end. */
  readonly #lateMs: number;
  #count = 0;
  #total = 0;
  #countedTo = 0;
  /** When what ended last stops counting. */
  #over = -Infinity;

  constructor(lateMs: number) {
    this.#lateMs = lateMs;
  }

  isBusy(now: number): boolean {
    return this.#count > 0 || now <= this.#over && now >= this.#over - this.#lateMs;
  }

  /** Milliseconds so far. */
  total(now: number): number {
    const end = this.#count > 0 ? now : Math.min(now, this.#over);
    // A clock that is set back adds nothing.
    this.#total += Math.max(0, end - this.#countedTo);
    this.#countedTo = now;
    return this.#total;
  }

  begin(now: number): void {
    this.total(now);
    this.#count++;
  }

  end(now: number): void {
    this.total(now);
    this.#count--;
    this.#over = now + this.#lateMs;
  }
}
