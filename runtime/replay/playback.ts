// What the parts of a play share: the script, the clock that stands at the recorded times, and the ways in which a stretch of
// the run stops.
import { type Clock, SystemClock } from "../../base/clock.ts";
import { RunStopped } from "../executions/loop/run.ts";
import type { CassetteCall } from "./cassette.ts";
import type { Difference } from "./difference.ts";
import type { Script, ScriptQuestion } from "./script.ts";

/** After so many turns in which no result came, none will: today something else becomes of that call. */
const IDLE_TURNS = 10;
/** The run ends only after those turns: results that are waited for in vain come behind them. */
const LAST_TURNS = 3 * IDLE_TURNS;

/** Why a stretch of a play stopped. */
export type PlayStop =
  /** The recorded run was begun again here. */
  | { kind: "restart" }
  /** Nothing more is recorded. */
  | { kind: "end" }
  /** A budget was used up, and a person was asked. */
  | { kind: "budget"; question: ScriptQuestion }
  | { kind: "differs"; differences: Difference[] };

/** Time as it was recorded. Nobody waits: what took too long is in the record. */
export class PlayClock implements Clock {
  #now: number;

  constructor(start: number) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  /** Stands at this time from now on; undefined leaves it as it is. */
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

/** How many calls have their results by now, and how many of these the log tells. */
export interface ResultCounts {
  stored: number;
  logged: number;
}

/** One play. */
export class Playback {
  readonly script: Script;
  readonly clock: PlayClock;
  /** Logs a notice that is recorded here. */
  readonly #tell: (level: "info" | "warn", text: string) => Promise<void>;
  readonly #countResults: () => Promise<ResultCounts>;
  /** Executions that wait, by the question that they wait with. */
  readonly waitingChildren = new Map<string, Promise<number>>();
  #stop = new AbortController();
  #stopped: PlayStop | undefined;

  constructor(
    script: Script,
    options: {
      clock: PlayClock;
      tell: (level: "info" | "warn", text: string) => Promise<void>;
      /** How many calls have their results by now. */
      countResults: () => Promise<ResultCounts>;
    },
  ) {
    this.script = script;
    this.clock = options.clock;
    this.#tell = options.tell;
    this.#countResults = options.countResults;
  }

  /** Begins a stretch; its signal. */
  begin(): AbortSignal {
    this.#stop = new AbortController();
    this.#stopped = undefined;
    return this.#stop.signal;
  }

  /** Why the stretch stopped, if it did. */
  get stopped(): PlayStop | undefined {
    return this.#stopped;
  }

  /** Stops the stretch; the first reason counts. */
  stop(stop: PlayStop): never {
    this.#stopped ??= stop;
    this.#stop.abort(new RunStopped(stop.kind, { resumable: true }));
    throw this.#stop.signal.reason;
  }

  /** Logs the notices that come next. */
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
   * The result of a call of the last reply, once it is its turn. Undefined where a question stands before it in the log. Stops
   * the stretch where there is none, and where the recorded run was begun again before it.
   */
  async resultOf(id: string): Promise<CassetteCall["result"]> {
    const { script } = this;
    const result = script.call(id)?.result;
    await this.#untilTurn(result?.order);
    if (result !== undefined && result.after <= script.behindReply) return result;
    // What can be done beside it is done first: all of it happens before any timer.
    await new SystemClock().sleep(0);
    this.#stop.signal.throwIfAborted();
    await this.catchUp();
    const next = script.peek();
    const { logged } = await this.#countResults();
    if (next?.type === "prompt" && script.isDue(next, logged)) this.stop({ kind: "restart" });
    if (next?.type === "question") {
      if (next.call !== id || !next.is_guard) return undefined;
      this.stop({
        kind: "differs",
        differences: [{
          kind: "question",
          call: script.replies,
          what: `the call of ${next.tool_name}`,
          recorded: `a person was asked: ${next.message}`,
          today: "nobody is asked",
        }],
      });
    }
    if (result === undefined) await this.#endBehindResults();
    return result;
  }

  /** Nothing is recorded of a call: the run ended when all that is recorded of the others was there. */
  async #endBehindResults(): Promise<never> {
    await this.#untilTurn(this.script.recordedResults, LAST_TURNS);
    this.stop({ kind: "end" });
  }

  /** Waits for results that were there before one, as long as any of them comes. */
  async #untilTurn(order: number | undefined, turns = IDLE_TURNS): Promise<void> {
    if (order === undefined) return;
    const wanted = this.script.callsBefore + order;
    let { stored: count } = await this.#countResults();
    for (let idle = 0; count < wanted && idle < turns;) {
      await new SystemClock().sleep(0);
      const before = count;
      ({ stored: count } = await this.#countResults());
      idle = count === before ? idle + 1 : 0;
    }
  }

  /** Stops the stretch where a result is about to be stored that is not recorded: the run ended before it. */
  async requireRecorded(id: string): Promise<void> {
    if (this.script.call(id)?.result !== undefined) return;
    await new SystemClock().sleep(0);
    await this.#endBehindResults();
  }
}
