// Detects watch triggers in a loop: a path that fires constantly, or runs that cause each other. Has no side effects outside
// its own state.
//
// Decision: a chain is a series of runs in which each run caused the next. It spans all agents, because two agents that
// write files for each other are a loop, too. The agent whose run reaches the limit is stopped. A run extends a chain in
// two cases. Either the previous run is known to have written the changed file, or the file changed during that run and its
// path already fired in the chain. A burst of files or a stream of new files does not meet the second condition.
// `trigger.max_runs` limits all other loops.
//
// (rejected: deriving from file times whether scripts of the agent wrote the files. Passing files to an agent one after the
// other produces the same times.)
import type { Clock } from "../../../base/clock.ts";
import { MINUTE_MS } from "../../../base/time_units.ts";

/** The maximum number of watch runs in a chain, in which each run caused the next. */
export const MAX_CHAIN = 20;
/** The maximum number of runs that one path starts for one agent within a minute. */
const MAX_FIRES_PER_MINUTE = 20;
/** The time after the end of a run in which events of its writes may still arrive. */
const LATE_EVENT_MS = 1_000;

const MAX_KNOWN_PATHS = 10_000;
const MAX_KNOWN_RUNS = 10_000;

/** The run that may have caused a file change, as known when the change was noticed. */
export interface ChangeOrigin {
  /** The id of the execution that wrote the file, or that was running when the change was noticed; 0 if there is none. */
  previous: number;
  /**
   * True if the change extends the chain of that execution: the execution is known to have written the file, or the path
   * already fired in the chain.
   */
  continues: boolean;
}

/** The origin of a change that no run made. */
export const FROM_OUTSIDE: ChangeOrigin = { previous: 0, continues: false };

/** Returns the origin for two successive changes of one path. */
export function mergeOrigins(first: ChangeOrigin, second: ChangeOrigin): ChangeOrigin {
  return first.continues && !second.continues || second.previous === 0 ? first : second;
}

/** A file change that is about to start a run. */
interface Firing {
  path: string;
  origin: ChangeOrigin;
}

/** A watch run and its position in a chain. */
interface ChainedRun {
  path: string;
  /**
   * The id of the run that may have caused this run (see ChangeOrigin); 0 if there is none. The first run of a chain may
   * have a previous run, too: a chain begins only when a path fires for the second time.
   */
  previous: number;
  /** The number of runs in the chain up to this one. */
  length: number;
}

/** Decides from previous runs if file changes may start more runs. All agents of a service share one breaker. */
export class TriggerBreaker {
  readonly #clock: Pick<Clock, "now">;
  /** For each agent and path: the times at which the path started runs in the last minute. Least recent path first. */
  readonly #fires = new Map<string, number[]>();
  /** The known runs by execution id, oldest first. Ended runs are kept because their writes may be noticed late. */
  readonly #runs = new Map<number, ChainedRun>();
  /** The end times of open and recently ended runs; undefined for open runs. */
  readonly #recent = new Map<number, number | undefined>();

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  /** Returns the run that may have caused a change of `path` that was noticed now. */
  originOf(path: string): ChangeOrigin {
    let newest = 0;
    let best: number | undefined;
    for (const id of this.#around()) {
      newest = id;
      if (!this.#hasFired(path, id)) continue;
      if (best === undefined || this.#isNearer(path, { than: best, id })) best = id;
    }
    return best === undefined
      ? { previous: newest, continues: false }
      : { previous: best, continues: true };
  }

  /** Returns the reason if a change must stop its agent's trigger; undefined if it may start a run. */
  refusal(agentId: string, change: Firing): string | undefined {
    const { path } = change;
    if (this.#recentFires(agentId, path).length >= MAX_FIRES_PER_MINUTE) {
      return `${path} fired more than ${MAX_FIRES_PER_MINUTE} times within a minute`;
    }
    return this.#lengthWith(change) > MAX_CHAIN
      ? `more than ${MAX_CHAIN} runs in a row were each caused by a file that the run before wrote, ` +
        `or by a path of theirs that changed while it ran, the last one by ${path}`
      : undefined;
  }

  /** Records that a change started a run. */
  started(agentId: string, run: Firing & { executionId: number }): void {
    const { executionId, path, origin } = run;
    const now = this.#clock.now();
    const fires = this.#recentFires(agentId, path);
    const key = keyOf(agentId, path);
    this.#fires.delete(key);
    this.#fires.set(key, [...fires, now]);
    this.#forgetFires();
    this.#runs.set(executionId, { path, previous: origin.previous, length: this.#lengthWith(run) });
    this.#recent.set(executionId, undefined);
    for (const oldest of this.#runs.keys()) {
      if (this.#runs.size <= MAX_KNOWN_RUNS) break;
      this.#runs.delete(oldest);
    }
  }

  /** Records that a run ended or waits for a person. */
  ended(executionId: number): void {
    if (!this.#recent.has(executionId)) return;
    this.#recent.set(executionId, this.#recent.get(executionId) ?? this.#clock.now());
  }

  /**
   * Records that a waiting run continues, and removes it from its chain: a loop in which a person must answer cannot
   * continue unnoticed.
   */
  resumed(executionId: number): void {
    this.#runs.delete(executionId);
    this.#recent.delete(executionId);
  }

  /** Resets the counts of an agent. Also shortens all chains to their last run. */
  reset(agentId: string): void {
    for (const key of this.#fires.keys()) {
      if (key.startsWith(`${agentId}\n`)) this.#fires.delete(key);
    }
    for (const run of this.#runs.values()) run.length = 1;
  }

  /**
   * Yields the ids of open and recently ended runs, oldest first. Any of them may have made a change that is noticed now.
   */
  *#around(): Iterable<number> {
    const now = this.#clock.now();
    for (const [id, endedAt] of this.#recent) {
      if (endedAt !== undefined && now - endedAt > LATE_EVENT_MS) this.#recent.delete(id);
      else yield id;
    }
  }

  /** Yields up to MAX_CHAIN runs of a chain, newest first, beginning with the run `id`. */
  *#chainOf(id: number): Iterable<ChainedRun> {
    for (let i = 0; i < MAX_CHAIN; i++) {
      const run = this.#runs.get(id);
      if (run === undefined) return;
      yield run;
      id = run.previous;
    }
  }

  #hasFired(path: string, id: number): boolean {
    for (const run of this.#chainOf(id)) if (run.path === path) return true;
    return false;
  }

  /**
   * Returns true if the run `id` is a more likely cause of a change of `path` than the run `than`. A run for the same path
   * is most likely, so that two loops at the same time are counted separately. Otherwise the run in the longer chain wins.
   */
  #isNearer(path: string, { id, than }: { id: number; than: number }): boolean {
    const [isOwn, isOwnOfOther] = [id, than].map((one) => this.#runs.get(one)?.path === path);
    if (isOwn !== isOwnOfOther) return isOwn === true;
    return this.#lengthOf(id) > this.#lengthOf(than);
  }

  /** Returns the number of runs in the chain up to this one; 0 if the run is unknown. */
  #lengthOf(executionId: number): number {
    return this.#runs.get(executionId)?.length ?? 0;
  }

  #lengthWith({ origin: { previous, continues } }: Firing): number {
    return 1 + (continues ? this.#lengthOf(previous) : 0);
  }

  #recentFires(agentId: string, path: string): number[] {
    return (this.#fires.get(keyOf(agentId, path)) ?? []).filter(this.#isWithin(MINUTE_MS));
  }

  /** Removes paths without runs in the last minute. Beyond MAX_KNOWN_PATHS, removes the least recent paths. */
  #forgetFires(): void {
    const isRecent = this.#isWithin(MINUTE_MS);
    for (const [key, fires] of this.#fires) {
      if (this.#fires.size <= MAX_KNOWN_PATHS && fires.some(isRecent)) return;
      this.#fires.delete(key);
    }
  }

  /**
   * Returns a function that reports if an instant lies within the last `ms` milliseconds. An instant in the future was
   * recorded before the clock was set back, and does not count.
   */
  #isWithin(ms: number): (at: number) => boolean {
    const now = this.#clock.now();
    return (at) => at <= now && now - at < ms;
  }
}

function keyOf(agentId: string, path: string): string {
  return `${agentId}\n${path}`;
}
