// Detects watch triggers that run away: one path that fires constantly, runs that cause each other, or too many runs.
// Pure.
//
// Decision: a chain spans all agents, because two agents that write for each other are a loop as well; the agent whose
// run reaches the limit is stopped. A run extends a chain in two cases. Either the run before is known to have written
// the changed file, or the change was made during that run and its path fired before in the chain. A burst of files or
// a steady stream of new ones never does the latter. `trigger.max_runs` bounds every other cause. (rejected: to infer
// from the times of files whether the agent's own scripts wrote them; feeding an agent one file after the other gives
// the same times)
import type { Clock } from "../../../base/clock.ts";
import { MINUTE_MS } from "../../../base/time_units.ts";
import { RecentRuns } from "../firing/run_brake.ts";

/** The longest chain of watch runs that cause each other. */
export const MAX_CHAIN = 20;
/** The most fires of one path of an agent in a minute. */
const MAX_FIRES_PER_MINUTE = 20;
/** The time after the end of a run in which the file system may still report its last writes. */
const LATE_EVENT_MS = 1_000;

const MAX_KNOWN_PATHS = 10_000;
const MAX_KNOWN_RUNS = 10_000;

/** The possible origin of a file change, as known when it was noticed. */
export interface ChangeOrigin {
  /** The execution that wrote it, or that ran when it was noticed; 0: none. */
  previous: number;
  /**
   * True when it extends that execution's chain: the execution is known to have written it, or the path fired in the
   * chain.
   */
  continues: boolean;
}

/** The origin of a change that no run made. */
export const FROM_OUTSIDE: ChangeOrigin = { previous: 0, continues: false };

/** Merges the origins of two changes of one path; the second is later. */
export function mergeOrigins(first: ChangeOrigin, second: ChangeOrigin): ChangeOrigin {
  return first.continues && !second.continues || second.previous === 0 ? first : second;
}

/** A change that is about to fire. */
interface Firing {
  path: string;
  origin: ChangeOrigin;
}

/** The reason to stop a trigger. */
interface Refusal {
  by: "loop" | "runs";
  reason: string;
}

/** A run as part of a chain. */
interface ChainedRun {
  path: string;
  /**
   * The id of the preceding run; 0 if none. The first run of a chain has it, too, because only a later round shows the
   * loop.
   */
  previous: number;
  /** The length of the chain up to this run. */
  length: number;
}

/** Decides from previous fires whether file changes may fire. All agents of a service share one. */
export class TriggerBreaker {
  readonly #clock: Pick<Clock, "now">;
  /** The times at which each path of each agent fired in the last minute; least recent first. */
  readonly #fires = new Map<string, number[]>();
  readonly #recentRuns: RecentRuns;
  /** Oldest first. Ended runs stay, because their files may be noticed late. */
  readonly #runs = new Map<number, ChainedRun>();
  /** The end times of open or just ended runs; undefined: still open. */
  readonly #recent = new Map<number, number | undefined>();

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
    this.#recentRuns = new RecentRuns(clock);
  }

  /** Returns the possible origin of a change that is noticed now. */
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

  /** Returns why a change must stop its agent's trigger instead of firing; undefined when it may fire. */
  refusal(agentId: string, change: Firing & { maxRuns: number }): Refusal | undefined {
    const { path, maxRuns } = change;
    if (this.#recentFires(agentId, path).length >= MAX_FIRES_PER_MINUTE) {
      const reason = `${path} fired more than ${MAX_FIRES_PER_MINUTE} times within a minute`;
      return { by: "loop", reason };
    }
    if (this.#lengthWith(change) > MAX_CHAIN) {
      const reason =
        `more than ${MAX_CHAIN} runs in a row were each caused by a file that the run before wrote, ` +
        `or by a path of theirs that changed while it ran, the last one by ${path}`;
      return { by: "loop", reason };
    }
    const reason = this.#recentRuns.refusal(agentId, {
      maxRuns,
      cause: "changed files",
      limit: "trigger.max_runs allows",
    });
    return reason !== undefined ? { by: "runs", reason } : undefined;
  }

  /** Records that a change fired. */
  started(agentId: string, run: Firing & { executionId: number }): void {
    const { executionId, path, origin } = run;
    const now = this.#clock.now();
    const fires = this.#recentFires(agentId, path);
    const key = keyOf(agentId, path);
    this.#fires.delete(key);
    this.#fires.set(key, [...fires, now]);
    this.#forgetFires();
    this.#recentRuns.started(agentId, executionId);
    this.#runs.set(executionId, { path, previous: origin.previous, length: this.#lengthWith(run) });
    this.#recent.set(executionId, undefined);
    for (const oldest of this.#runs.keys()) {
      if (this.#runs.size <= MAX_KNOWN_RUNS) break;
      this.#runs.delete(oldest);
    }
  }

  /** Records that a run ended, or waits for a person. */
  ended(executionId: number): void {
    if (!this.#recent.has(executionId)) return;
    this.#recent.set(executionId, this.#recent.get(executionId) ?? this.#clock.now());
  }

  /** Records that a waiting run continues. A person's answer breaks a loop. */
  resumed(executionId: number): void {
    this.#runs.delete(executionId);
    this.#recent.delete(executionId);
  }

  /** Resets the counts of an agent, and all chains: the last run of each becomes its first. */
  reset(agentId: string): void {
    for (const key of this.#fires.keys()) {
      if (key.startsWith(`${agentId}\n`)) this.#fires.delete(key);
    }
    this.#recentRuns.reset(agentId);
    for (const run of this.#runs.values()) run.length = 1;
  }

  /** Yields the runs that a change made now may come from, oldest first. */
  *#around(): Iterable<number> {
    const now = this.#clock.now();
    for (const [id, endedAt] of this.#recent) {
      if (endedAt !== undefined && now - endedAt > LATE_EVENT_MS) this.#recent.delete(id);
      else yield id;
    }
  }

  /** Yields the run of this id and those before it, newest first, up to the longest chain. */
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
   * Returns true when the run is nearer to the path than another one. Runs for the same path are nearest, so that two
   * loops at once count separately.
   */
  #isNearer(path: string, { id, than }: { id: number; than: number }): boolean {
    const [isOwn, isOwnOfOther] = [id, than].map((one) => this.#runs.get(one)?.path === path);
    if (isOwn !== isOwnOfOther) return isOwn === true;
    return this.#lengthOf(id) > this.#lengthOf(than);
  }

  /** Returns 0 when the run is in no chain, or is forgotten. */
  #lengthOf(executionId: number): number {
    return this.#runs.get(executionId)?.length ?? 0;
  }

  #lengthWith({ origin: { previous, continues } }: Firing): number {
    return 1 + (continues ? this.#lengthOf(previous) : 0);
  }

  #recentFires(agentId: string, path: string): number[] {
    return (this.#fires.get(keyOf(agentId, path)) ?? []).filter(this.#isWithin(MINUTE_MS));
  }

  /** Removes paths that have not fired for a minute, and the least recent of too many. */
  #forgetFires(): void {
    const isRecent = this.#isWithin(MINUTE_MS);
    for (const [key, fires] of this.#fires) {
      if (this.#fires.size <= MAX_KNOWN_PATHS && fires.some(isRecent)) return;
      this.#fires.delete(key);
    }
  }

  /**
   * Returns a test for instants within the last `ms` milliseconds. Instants after now come from a clock that was set
   * back and do not count.
   */
  #isWithin(ms: number): (at: number) => boolean {
    const now = this.#clock.now();
    return (at) => at <= now && now - at < ms;
  }
}

function keyOf(agentId: string, path: string): string {
  return `${agentId}\n${path}`;
}
