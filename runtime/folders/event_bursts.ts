// When hints of the file system cannot be relied on: the system drops events of a burst, and does not always say so (measured:
// half of 5,000 new files, silently). After so many events everything is looked at, as soon as it is quiet.
import { sleepUnlessAborted } from "../../base/bounded_wait.ts";
import type { Clock } from "../../base/clock.ts";

const BURST_EVENTS = 300;
const CALM_MS = 300;
/** …or after this long, however busy the folders are… */
const LONGEST_BURST_MS = 5_000;
/** …but only after so many times the time that the last look took: large folders that are always busy must not cost all. */
const REST_FACTOR = 10;
const LONGEST_REST_MS = 60_000;

/** Counts events. */
export class EventBursts implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #scanAll: () => Promise<void>;
  readonly #over = new AbortController();
  /** Events since everything was looked at, or since it was calm: what comes now and then is never lost. */
  #events = 0;
  #lastEventAt = 0;
  #burst: Promise<void> | undefined;
  /** Until when no burst is followed by another look. */
  #restUntil = 0;

  /** `scanAll` looks at everything; resolves when that is done. */
  constructor(clock: Clock, scanAll: () => Promise<void>) {
    this.#clock = clock;
    this.#scanAll = scanAll;
  }

  /** There is an event. */
  count(): void {
    const now = this.#clock.now();
    if (this.#burst === undefined && now - this.#lastEventAt > CALM_MS) this.#events = 0;
    this.#lastEventAt = now;
    this.#events++;
    if (this.#events > BURST_EVENTS) this.#burst ??= this.#lookAfterBurst();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await this.#burst;
  }

  async #lookAfterBurst(): Promise<void> {
    const { signal } = this.#over;
    const deadline = this.#clock.now() + LONGEST_BURST_MS;
    for (let before = -1; before !== this.#events && this.#clock.now() < deadline;) {
      before = this.#events;
      await this.#sleep(CALM_MS);
      if (signal.aborted) return;
    }
    await this.#sleep(Math.min(this.#restUntil - this.#clock.now(), LONGEST_REST_MS));
    if (signal.aborted) return;
    this.#events = 0;
    const start = this.#clock.now();
    await this.#scanAll();
    this.#restUntil = this.#clock.now() + REST_FACTOR * (this.#clock.now() - start);
    this.#burst = undefined;
    // As many again while it looked: some of them may be lost, too.
    if (this.#events > BURST_EVENTS && !signal.aborted) this.#burst = this.#lookAfterBurst();
  }

  async #sleep(ms: number): Promise<void> {
    if (ms > 0) await sleepUnlessAborted(this.#clock, ms, this.#over.signal);
  }
}
