// What runs in this process, or is about to: who looks for a run waits for what is about to become one. And the ways to end
// runs early.
import type { Clock } from "../../../base/clock.ts";
import { firstOf } from "../../../base/first_of.ts";
import { ServiceStopping } from "../refusals.ts";
import { RunStopped } from "./run.ts";

interface ActiveRun {
  stop: AbortController;
  /** Its end is being stored. */
  isEnding: boolean;
  done: Promise<void>;
}

/** What a run has of its own course. */
export interface RunControl {
  signal: AbortSignal;
  /**
   * Its end is about to be stored: from here on, only what is stored tells whether a stop still reached it. Gives the error of
   * one that came before.
   */
  ending: () => string | null;
  /** From here on it cannot be stopped, and the execution may be launched again before this run has returned. */
  leave: () => void;
}

/** Keeps hold of runs from their start to their end. */
export class ActiveRuns {
  readonly #clock: Clock;
  readonly #runs = new Map<number, ActiveRun>();
  /** Changes that are being stored and let executions run. */
  readonly #starts = new Set<Promise<unknown>>();
  readonly #stopping = new AbortController();
  /** Why nothing may run any longer. */
  #over: RunStopped | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Aborts when the service stops: what cannot be stored is given up then. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Whether something is about to run. */
  get isStarting(): boolean {
    return this.#starts.size > 0;
  }

  /** Does something that lets executions run; a stop waits for it. Throws ServiceStopping once one has begun. */
  async admit<T>(change: () => Promise<T>): Promise<T> {
    if (this.stopping.aborted) throw new ServiceStopping();
    return await this.track(change());
  }

  /** Counts such a change until it has come to its end, and returns what it returns. */
  async track<T>(change: Promise<T>): Promise<T> {
    this.#starts.add(change);
    try {
      return await change;
    } finally {
      this.#starts.delete(change);
    }
  }

  /** Resolves when everything that is about to run now does, or has failed. Not for what is tracked itself. */
  async started(): Promise<void> {
    await Promise.allSettled(this.#starts);
  }

  /**
   * Lets a run go; `work` never rejects. Its signal aborts with a RunStopped. Once all are stopped, one that still comes is
   * stopped from its beginning.
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
    run.done = work({ signal: stop.signal, ending, leave }).finally(leave);
    this.#runs.set(id, run);
  }

  /** Resolves when an execution does not run here. */
  async ended(id: number): Promise<void> {
    for (let run; (run = this.#runs.get(id)) !== undefined;) await run.done;
  }

  /** Whether the end of an execution is being stored here. */
  isEnding(id: number): boolean {
    return this.#runs.get(id)?.isEnding === true;
  }

  /** Whether an execution runs here, or is among what may be about to. */
  mayRun(id: number): boolean {
    return this.#runs.has(id) || this.isStarting;
  }

  /** Resolves when an execution neither runs here nor was about to when this was asked. */
  async untilRest(id: number): Promise<void> {
    for (;;) {
      if (!this.#runs.has(id)) {
        // What was answered a moment ago is about to run here.
        await this.started();
        if (!this.#runs.has(id)) return;
      }
      await this.#runs.get(id)?.done;
    }
  }

  /**
   * Ends a run early. False: it is not active here, or its end is being stored; where that fails, the next try ends it with
   * this error.
   */
  stop(id: number, error: string): boolean {
    const run = this.#runs.get(id);
    run?.stop.abort(new RunStopped(error));
    return run !== undefined && !run.isEnding;
  }

  /** Another machine may have it: ends a run without an end of its own. */
  lose(id: number): void {
    this.#runs.get(id)?.stop.abort(new RunStopped("Another machine runs it", { isLost: true }));
  }

  /** From here on nothing is admitted. */
  close(): void {
    this.#stopping.abort();
  }

  /**
   * Waits for what is about to run, gives all runs `graceMs` to end, then stops the rest, and waits for them. `graceEnds`:
   * what is done right before that.
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

  /** Resolves when no run is active: one that is about to end may start another until then. */
  async #ended(): Promise<void> {
    while (this.#runs.size > 0) await Promise.all([...this.#runs.values()].map(({ done }) => done));
  }
}

/** With which error somebody wants a run to end; null where nobody does. */
function stopError(signal: AbortSignal): string | null {
  const { reason } = signal;
  return reason instanceof RunStopped && !reason.resumable ? reason.message : null;
}
