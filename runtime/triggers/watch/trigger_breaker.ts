// Detects watch triggers that run away: one path that fires all the time, runs that cause each other, or simply too many
// runs. Pure.
//
// Decision: a chain goes over all agents, because two that write for each other are a loop as well; whose turn it is when
// the limit is reached is paused. A run prolongs a chain when its change is known to be written by the run before, or when
// it was made while that one ran and its path fired before in the chain, which a burst of files or a steady stream of new
// ones never does. What else keeps an agent busy, `trigger.max_runs` bounds. (rejected: to infer from the times at which
// files come whether the agent's own scripts wrote them; who feeds an agent one file after the other looks the same)
import type { Clock } from "../../../base/clock.ts";
import { MINUTE_MS } from "../../../base/time_units.ts";

/** How many runs of watches may cause each other. */
export const MAX_CHAIN = 20;
/** How often one path of an agent may fire in a minute. */
const MAX_FIRES_PER_MINUTE = 20;
/** The time that `trigger.max_runs` is about. */
const MAX_RUNS_MS = 10 * MINUTE_MS;
/** So long after a run has ended, the file system may still report its last writes. */
const LATE_EVENT_MS = 1_000;

const MAX_KNOWN_PATHS = 10_000;
const MAX_KNOWN_RUNS = 10_000;

/** What a change of a file may come from, as far as that was known when it was noticed. */
export interface ChangeOrigin {
  /** The execution that wrote it, or went on when it was noticed; 0: none did. */
  previous: number;
  /** Whether it belongs to the chain of that execution: it is known to have written it, or the path fired in that chain. */
  continues: boolean;
}

/** Of a change that comes from nobody's run. */
export const FROM_OUTSIDE: ChangeOrigin = { previous: 0, continues: false };

/** What two changes of one path, the second one later, may come from. */
export function joinOrigins(first: ChangeOrigin, second: ChangeOrigin): ChangeOrigin {
  return first.continues && !second.continues || second.previous === 0 ? first : second;
}

/** A change whose turn it is. */
interface Firing {
  path: string;
  origin: ChangeOrigin;
}

/** What stops a trigger. */
interface Refusal {
  by: "loop" | "runs";
  reason: string;
}

/** A run as part of a chain. */
interface ChainedRun {
  path: string;
  /** The run that went on before it; 0: none. It is remembered also where the chain does not go on: a loop has a first round. */
  previous: number;
  /** How many runs the chain has with this one. */
  length: number;
}

/** Decides whether changes of watched files may fire, by what fired before; all agents of a service share one. */
export class TriggerBreaker {
  readonly #clock: Pick<Clock, "now">;
  /** When each path of each agent fired in the last minute; least recent first. */
  readonly #fires = new Map<string, number[]>();
  /** When each agent's runs of the last ten minutes began. */
  readonly #starts = new Map<string, number[]>();
  /** Oldest first. Kept when they are over: their files may be seen late. */
  readonly #runs = new Map<number, ChainedRun>();
  /** When the runs that go on, or did a moment ago, ended; undefined: not yet. */
  readonly #recent = new Map<number, number | undefined>();

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  /** What a change of a path, noticed at this moment, may come from. */
  noticed(path: string): ChangeOrigin {
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

  /** Why a change must not fire, but stops its agent's trigger; undefined: it may. */
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
    if (this.#recentStarts(agentId).length >= maxRuns) {
      const times = maxRuns === 1 ? "once" : `${maxRuns} times`;
      const reason =
        `changed files started it ${times} within ten minutes, as often as trigger.max_runs allows`;
      return { by: "runs", reason };
    }
    return undefined;
  }

  /** A change fired. */
  started(agentId: string, run: Firing & { executionId: number }): void {
    const { executionId, path, origin } = run;
    const now = this.#clock.now();
    const fires = this.#recentFires(agentId, path);
    const key = keyOf(agentId, path);
    this.#fires.delete(key);
    this.#fires.set(key, [...fires, now]);
    this.#forgetFires();
    const starts = this.#recentStarts(agentId);
    starts.push(now);
    this.#starts.set(agentId, starts);
    this.#runs.set(executionId, { path, previous: origin.previous, length: this.#lengthWith(run) });
    this.#recent.set(executionId, undefined);
    for (const oldest of this.#runs.keys()) {
      if (this.#runs.size <= MAX_KNOWN_RUNS) break;
      this.#runs.delete(oldest);
    }
  }

  /** A run is over, or waits for a person. */
  ended(executionId: number): void {
    if (!this.#recent.has(executionId)) return;
    this.#recent.set(executionId, this.#recent.get(executionId) ?? this.#clock.now());
  }

  /** A run that waited continues: what a person's answer brings about is not a loop. */
  resumed(executionId: number): void {
    this.#runs.delete(executionId);
    this.#recent.delete(executionId);
  }

  /** Counts anew for an agent, and every chain: its last run so far counts as the first. */
  reset(agentId: string): void {
    for (const key of this.#fires.keys()) {
      if (key.startsWith(`${agentId}\n`)) this.#fires.delete(key);
    }
    this.#starts.delete(agentId);
    for (const run of this.#runs.values()) run.length = 1;
  }

  /** The runs that a change made at this moment may come from, oldest first. */
  *#around(): Iterable<number> {
    const now = this.#clock.now();
    for (const [id, endedAt] of this.#recent) {
      if (endedAt !== undefined && now - endedAt > LATE_EVENT_MS) this.#recent.delete(id);
      else yield id;
    }
  }

  /** The run of this id and those before it, newest first; as many as a chain may have. */
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

  /** A run for the same path is nearer than any other: two loops that go on side by side are counted apart. */
  #isNearer(path: string, { id, than }: { id: number; than: number }): boolean {
    const [isOwn, isOwnOfOther] = [id, than].map((one) => this.#runs.get(one)?.path === path);
    if (isOwn !== isOwnOfOther) return isOwn === true;
    return this.#lengthOf(id) > this.#lengthOf(than);
  }

  /** 0: the run is not part of a chain, or is forgotten. */
  #lengthOf(executionId: number): number {
    return this.#runs.get(executionId)?.length ?? 0;
  }

  #lengthWith({ origin: { previous, continues } }: Firing): number {
    return 1 + (continues ? this.#lengthOf(previous) : 0);
  }

  #recentFires(agentId: string, path: string): number[] {
    return (this.#fires.get(keyOf(agentId, path)) ?? []).filter(this.#isWithin(MINUTE_MS));
  }

  #recentStarts(agentId: string): number[] {
    return (this.#starts.get(agentId) ?? []).filter(this.#isWithin(MAX_RUNS_MS));
  }

  /** Forgets the paths that have not fired for a minute, and the least recent of too many. */
  #forgetFires(): void {
    const isRecent = this.#isWithin(MINUTE_MS);
    for (const [key, fires] of this.#fires) {
      if (this.#fires.size <= MAX_KNOWN_PATHS && fires.some(isRecent)) return;
      this.#fires.delete(key);
    }
  }

  /** Whether an instant lies within the last so many ms. A clock that was set back leaves later ones: they count no more. */
  #isWithin(ms: number): (at: number) => boolean {
    const now = this.#clock.now();
    return (at) => at <= now && now - at < ms;
  }
}

function keyOf(agentId: string, path: string): string {
  return `${agentId}\n${path}`;
}
