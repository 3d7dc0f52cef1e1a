// Keeps the runs of this process and the pending changes that start runs. Stops all of them at a shutdown.
import type { Clock } from "../../../base/clock.ts";
import { firstOf } from "../../../base/first_of.ts";
import { ServiceStopping } from "../refusals.ts";
import { RunStopped } from "../loop/run.ts";

interface ActiveRun {
  stop: AbortController;
  /** True while the end of the run is being stored. */
  isEnding: boolean;
  done: Promise<void>;
}

/** The methods that a run uses to report its progress to ActiveRuns. */
export interface RunControl {
  signal: AbortSignal;
  /** Marks the run as ending, so that it can no longer be stopped. Returns the error of an earlier stop, or null. */
  ending: () => string | null;
  /**
   * Removes the run from ActiveRuns: it can no longer be stopped, and its execution may be launched again although `work`
   * has not returned yet.
   */
  release: () => void;
}

/** Registers runs from their start to their end. */
export class ActiveRuns {
  readonly #clock: Clock;
  readonly #runs = new Map<number, ActiveRun>();
  /** The pending changes that start executions. */
  readonly #starts = new Set<Promise<unknown>>();
  readonly #stopping = new AbortController();
  /** The stop reason for runs that are launched after all runs were stopped. Undefined before. */
  #over: RunStopped | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Aborted when the service stops. Writes that are being retried then give up. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** The number of runs in this process. */
  get count(): number {
    return this.#runs.size;
  }

  /** True while a change that starts an execution is pending. */
  get isStarting(): boolean {
    return this.#starts.size > 0;
  }

  /**
   * Runs a change that starts executions. A shutdown waits for the change. Throws ServiceStopping after a shutdown has
   * begun.
   */
  async admit<T>(change: () => Promise<T>): Promise<T> {
    if (this.stopping.aborted) throw new ServiceStopping();
    return await this.track(change());
  }

  /** Registers a pending change until it ends, so that a shutdown waits for it. Returns its result. */
  async track<T>(change: Promise<T>): Promise<T> {
    this.#starts.add(change);
    try {
      return await change;
    } finally {
      this.#starts.delete(change);
    }
  }

  /**
   * Resolves when the pending changes have ended. A tracked change must not call this method, because it would wait for
   * itself.
   */
  async started(): Promise<void> {
    await Promise.allSettled(this.#starts);
  }

  /**
   * Starts a run. `work` must not reject. Its signal is aborted with a RunStopped. After all runs were stopped, the signal
   * of a new run is aborted from the beginning.
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

  /** Resolves when the execution does not run in this process. */
  async ended(id: number): Promise<void> {
    for (let run; (run = this.#runs.get(id)) !== undefined;) await run.done;
  }

  /** Returns true while this process stores the end of an execution. */
  isEnding(id: number): boolean {
    return this.#runs.get(id)?.isEnding === true;
  }

  /** Returns true if an execution runs in this process, or if a pending change may start it. */
  mayRun(id: number): boolean {
    return this.#runs.has(id) || this.isStarting;
  }

  /** Resolves when the execution does not run in this process and no pending change can start it. */
  async untilRest(id: number): Promise<void> {
    for (;;) {
      if (!this.#runs.has(id)) {
        // A pending answer may start the execution.
        await this.started();
        if (!this.#runs.has(id)) return;
      }
      await this.#runs.get(id)?.done;
    }
  }

  /**
   * Stops a run. Returns false if the run is not active in this process or its end is being stored. If storing that end
   * fails, the next attempt stores `error` instead.
   */
  stop(id: number, error: string): boolean {
    const run = this.#runs.get(id);
    run?.stop.abort(new RunStopped(error));
    return run !== undefined && !run.isEnding;
  }

  /** Stops a run without storing an end, because another machine may have claimed the execution. */
  lose(id: number): void {
    this.#runs.get(id)?.stop.abort(new RunStopped("Another machine runs it", { isLost: true }));
  }

  /** Begins the shutdown: admit() refuses further changes. */
  close(): void {
    this.#stopping.abort();
  }

  /**
   * Waits for pending changes and gives all runs `graceMs` to end. Then calls `graceEnds`, stops the remaining runs and
   * waits for them.
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

  /** Resolves when no run is active. Checks repeatedly, because an ending run may start another run. */
  async #ended(): Promise<void> {
    while (this.#runs.size > 0) await Promise.all([...this.#runs.values()].map(({ done }) => done));
  }
}

/** Returns the error of a stopped run. Null if the run is not stopped or will be continued after a restart. */
function stopError(signal: AbortSignal): string | null {
  const { reason } = signal;
  return reason instanceof RunStopped && !reason.resumable ? reason.message : null;
}
