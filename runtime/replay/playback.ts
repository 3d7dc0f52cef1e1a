// Holds the state that the parts of a play share: the script, the clock at the recorded time, and the reason to stop.
import { type Clock, SystemClock } from "../../base/clock.ts";
import { RunStopped } from "../executions/loop/run.ts";
import type { CassetteQuestion, CassetteResult } from "./cassette.ts";
import type { Difference } from "./difference.ts";
import type { Script } from "./script.ts";

/**
 * The number of turns of the event loop without a new result after which none will come, because a call behaves differently
 * now.
 */
const IDLE_TURNS = 30;

/** The reason why a play stopped. */
export type PlayStop =
  /** The recorded run was restarted at this point. */
  | { kind: "restart" }
  /** The record ends at this point. */
  | { kind: "end" }
  /** A budget was used up, and a person was asked. */
  | { kind: "budget"; question: CassetteQuestion }
  | { kind: "differs"; differences: Difference[] };

/** The clock of a play, set to the recorded time. A sleep never ends, because timeouts are in the record. */
export class PlayClock implements Clock {
  #now: number;

  constructor(start: number) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  /** Sets the time. Undefined keeps the current time. */
  set(at: number | undefined): void {
    if (at !== undefined) this.#now = at;
  }

  sleep(_ms: number, signal?: AbortSignal): Promise<void> {
    const { promise, reject } = Promise.withResolvers<void>();
    const onAbort = () => reject(signal?.reason);
    if (signal?.aborted) onAbort();
    else signal?.addEventListener("abort", onAbort, { once: true });
    return promise;
  }
}

/** The number of calls with a result, and the number of results in the log. */
export interface ResultCounts {
  stored: number;
  logged: number;
}

/** The shared state of one play. */
export class Playback {
  readonly script: Script;
  readonly clock: PlayClock;
  /** The number of replies that a fork copied. Skills that they loaded have the recorded instructions. */
  readonly copied: number;
  /** Logs a recorded notice. */
  readonly #tell: (level: "info" | "warn", text: string) => Promise<void>;
  readonly #countResults: () => Promise<ResultCounts>;
  /** The ids of waiting executions, by the id of their question. */
  readonly waitingChildren = new Map<string, Promise<number>>();
  #stop = new AbortController();
  #stopped: PlayStop | undefined;
  /** The number of calls that do real work. */
  #working = 0;

  constructor(
    script: Script,
    options: {
      clock: PlayClock;
      copied: number;
      tell: (level: "info" | "warn", text: string) => Promise<void>;
      /** Returns the number of calls with results. */
      countResults: () => Promise<ResultCounts>;
    },
  ) {
    this.script = script;
    this.clock = options.clock;
    this.copied = options.copied;
    this.#tell = options.tell;
    this.#countResults = options.countResults;
  }

  /** Starts the next part of the run and returns its abort signal. */
  begin(): AbortSignal {
    this.#stop = new AbortController();
    this.#stopped = undefined;
    return this.#stop.signal;
  }

  /** The reason why this part of the run stopped. Undefined if it has not stopped. */
  get stopped(): PlayStop | undefined {
    return this.#stopped;
  }

  /** Stops this part of the run by throwing. Keeps the first reason. */
  stop(stop: PlayStop): never {
    this.#stopped ??= stop;
    this.#stop.abort(new RunStopped(stop.kind, { resumable: true }));
    throw this.#stop.signal.reason;
  }

  /** Does real work of a call, for which the other calls wait. */
  async work<T>(perform: () => Promise<T>): Promise<T> {
    this.#working++;
    try {
      return await perform();
    } finally {
      this.#working--;
    }
  }

  /** Logs the recorded notices up to the next step of another kind. */
  async catchUp(): Promise<void> {
    const { logged } = await this.#countResults();
    for (let step = this.script.peek(); step?.type === "notice"; step = this.script.peek()) {
      if (!this.script.isDue(step, logged)) return;
      this.script.take();
      this.clock.set(step.at);
      await this.#tell(step.level, step.text);
    }
  }

  /**
   * Returns the recorded result of a call of the last reply. Returns undefined if a question precedes the result in the
   * log. Stops the play if there is no result, or if the recorded run was restarted before it.
   */
  async resultOf(id: string): Promise<CassetteResult | undefined> {
    const { script } = this;
    const result = script.resultOf(id);
    if (result !== undefined && result.after <= script.behindReply) return result;
    // A timer fires after all pending promises, so concurrent work is finished first.
    do await new SystemClock().sleep(0); while (this.#working > 0);
    this.#stop.signal.throwIfAborted();
    await this.catchUp();
    const next = script.peek();
    const { logged } = await this.#countResults();
    if (next?.type === "prompt" && script.isDue(next, logged)) this.stop({ kind: "restart" });
    if (next?.type === "question") {
      if (next.call !== id || !next.request.isGuard) return undefined;
      this.stopAtMissing(next);
    }
    if (result === undefined) await this.#endBehindResults();
    return result;
  }

  /** Stops the play at a recorded question that the current agent does not ask. */
  stopAtMissing({ request: { toolName, message } }: CassetteQuestion): never {
    this.stop({
      kind: "differs",
      differences: [{
        kind: "question",
        call: this.script.replies,
        what: `the call of ${toolName}`,
        recorded: `a person was asked: ${message}`,
        today: "nobody is asked",
      }],
    });
  }

  /** Stops the play at a call without a recorded result, after the calls with a recorded result have ended. */
  async #endBehindResults(): Promise<never> {
    const wanted = this.script.callsBefore + this.script.recordedResults;
    let { stored: count } = await this.#countResults();
    for (let idle = 0; count < wanted && idle < IDLE_TURNS;) {
      await new SystemClock().sleep(0);
      const before = count;
      ({ stored: count } = await this.#countResults());
      idle = count === before && this.#working === 0 ? idle + 1 : 0;
    }
    this.stop({ kind: "end" });
  }

  /** Stops the play before it stores a result that was not recorded, because the recorded run ended before that result. */
  async requireRecorded(id: string): Promise<void> {
    if (this.script.resultOf(id) !== undefined) return;
    await new SystemClock().sleep(0);
    await this.#endBehindResults();
  }
}
