// The runs of this process, and the pending changes that start runs. Stops and drains them.
import type { Clock } from "../../../base/clock.ts";
import { firstOf } from "../../../base/first_of.ts";
import { ServiceStopping } from "../refusals.ts";
import { RunStopped } from "../loop/run.ts";

interface ActiveRun {
  stop: AbortController;
  /** True while its end is being stored. */
  isEnding: boolean;
  done: Promise<void>;
}

/** The interface of a run to ActiveRuns. */
export interface RunControl {
  signal: AbortSignal;
  /**
   * Marks the run as ending: from here on only the stored status shows if a stop was in time. Returns the error of an earlier
   * stop.
   */
  ending: () => string | null;
  /** Removes the run: it can no longer be stopped, and the execution may be launched again before this run returns. */
  release: () => void;
}

/** Registers runs from their start to their end. */
export class ActiveRuns {
  readonly #clock: Clock;
  readonly #runs = new Map<number, ActiveRun>();
  /** Pending changes that start executions. */
  readonly #starts = new Set<Promise<unknown>>();
  readonly #stopping = new AbortController();
  /** The stop reason of new runs, once all runs were stopped. */
  #over: RunStopped | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Aborts when the service stops. Retried writes end then. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** True while changes that start executions are pending. */
  get isStarting(): boolean {
    return this.#starts.size > 0;
  }

  /** Runs a change that starts executions. A stop waits for it. Throws ServiceStopping after a stop has begun. */
  async admit<T>(change: () => Promise<T>): Promise<T> {
    if (this.stopping.aborted) throw new ServiceStopping();
    return await this.track(change());
  }

  /** Registers such a change until it ends, and returns its result. */
  async track<T>(change: Promise<T>): Promise<T> {
    this.#starts.add(change);
    try {
      return await change;
    } finally {
      this.#starts.delete(change);
    }
  }

  /** Resolves when the pending changes have ended. A tracked change must not call this. */
  async started(): Promise<void> {
    await Promise.allSettled(this.#starts);
  }

  /**
   * Starts a run. `work` must not reject. Its signal aborts with a RunStopped. After all runs were stopped, the signal of a new
   * one is aborted from the beginning.
   */
  launch(id: number, work: (control: RunControl) => Promise<void>): void {
    const stop = new AbortController();
    if (this.#over !== undefined) stop.abort(this.#over);
    const leave = () => {
      if (this.#runs.get(id)?.stop === stop) this.#runs.delete(id);
    };
    const run = { stop, isEnding: false, done: Promise.resolve() };
    const ending = () => {
      run.isEnding = true;
      return stopError(stop.signal);
    };
    run.done = work({ signal: stop.signal, ending, release: leave }).finally(leave);
    this.#runs.set(id, run);
  }

  /** Resolves when the execution does not run here. */
  async ended(id: number): Promise<void> {
    for (let run; (run = this.#runs.get(id)) !== undefined;) await run.done;
  }

  /** Returns true while the end of an execution is being stored here. */
  isEnding(id: number): boolean {
    return this.#runs.get(id)?.isEnding === true;
  }

  /** Returns true if an execution runs here, or if a pending change may start it. */
  mayRun(id: number): boolean {
    return this.#runs.has(id) || this.isStarting;
  }

  /** Resolves when the execution does not run here and no pending change could have started it. */
  async untilRest(id: number): Promise<void> {
    for (;;) {
      if (!this.#runs.has(id)) {
        // A pending answer may start it.
        await this.started();
        if (!this.#runs.has(id)) return;
      }
      await this.#runs.get(id)?.done;
    }
  }

  /**
   * Stops a run. Returns false if it is not active here or if its end is being stored. If storing fails, the next attempt
   * stores this error.
   */
  stop(id: number, error: string): boolean {
    const run = this.#runs.get(id);
    run?.stop.abort(new RunStopped(error));
    return run !== undefined && !run.isEnding;
  }

  /** Stops a run without storing an end, because another machine may have claimed it. */
  lose(id: number): void {
    this.#runs.get(id)?.stop.abort(new RunStopped("Another machine runs it", { isLost: true }));
  }

  /** Refuses new work from now on. */
  close(): void {
    this.#stopping.abort();
  }

  /**
   * Waits for pending changes, gives all runs `graceMs` to end, then stops the rest and waits for them. Calls `graceEnds` right
   * before it stops them.
   */
  async drain(
    options: { graceMs: number; error: string; graceEnds?: () => void },
  ): Promise<void> {
    await this.started();
    const ends = this.#ended();
    if (options.graceMs > 0) {
      await firstOf(ends, { within: { clock: this.#clock, ms: options.graceMs } });
    }
    options.graceEnds?.();
    this.#over = new RunStopped(options.error, { resumable: true });
    for (const { stop } of this.#runs.values()) stop.abort(this.#over);
    await ends;
  }

  /** Resolves when no run is active. An ending run may start another one. */
  async #ended(): Promise<void> {
    while (this.#runs.size > 0) await Promise.all([...this.#runs.values()].map(({ done }) => done));
  }
}

/** Returns the error of a stop, or null if the run is not stopped or is left for a restart. */
function stopError(signal: AbortSignal): string | null {
  const { reason } = signal;
  return reason instanceof RunStopped && !reason.resumable ? reason.message : null;
}
