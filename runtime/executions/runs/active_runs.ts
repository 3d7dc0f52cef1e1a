// The runs that are active in this process, and the ways to end them early.
import type { Clock } from "../../../base/clock.ts";
import { firstOf } from "../../../base/first_of.ts";
import { RunStopped } from "./run.ts";

interface ActiveRun {
  stop: AbortController;
  done: Promise<void>;
}

/** Keeps hold of runs from their start to their end. */
export class ActiveRuns {
  readonly #clock: Clock;
  readonly #runs = new Map<number, ActiveRun>();
  /** Why nothing may run any longer. */
  #over: RunStopped | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Lets a run go; `work` never rejects. Its signal aborts with a RunStopped. Once it calls `leave` it cannot be stopped
   * any more, and the execution may be launched again before it has returned. Once all are stopped, one that still comes is
   * stopped from its beginning.
   */
  launch(id: number, work: (signal: AbortSignal, leave: () => void) => Promise<void>): void {
    const stop = new AbortController();
    if (this.#over !== undefined) stop.abort(this.#over);
    const leave = () => {
      if (this.#runs.get(id)?.stop === stop) this.#runs.delete(id);
    };
    const done = work(stop.signal, leave).finally(leave);
    this.#runs.set(id, { stop, done });
  }

  /** Resolves when the active run of an execution has returned; undefined when there is none. */
  done(id: number): Promise<void> | undefined {
    return this.#runs.get(id)?.done;
  }

  /** Ends a run early; false when it is not active here. */
  stop(id: number, error: string): boolean {
    const run = this.#runs.get(id);
    run?.stop.abort(new RunStopped(error));
    return run !== undefined;
  }

  /** Gives all runs `graceMs` to end, then stops the rest, and waits for them. */
  async drain(options: { graceMs: number; error: string }): Promise<void> {
    const ends = this.#ended();
    if (options.graceMs > 0) {
      await firstOf(ends, { within: { clock: this.#clock, ms: options.graceMs } });
    }
    this.#over = new RunStopped(options.error, { resumable: true });
    for (const { stop } of this.#runs.values()) stop.abort(this.#over);
    await ends;
  }

  /** Resolves when no run is active: one that is about to end may start another until then. */
  async #ended(): Promise<void> {
    while (this.#runs.size > 0) await Promise.all([...this.#runs.values()].map(({ done }) => done));
  }
}
