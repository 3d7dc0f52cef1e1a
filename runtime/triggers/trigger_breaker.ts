// Detects watch triggers that feed themselves: one path that fires all the time, or runs that cause each other. Pure.
//
// Decision: a chain goes over all agents, because two that write for each other are a loop as well; whose turn it is when
// the limit is reached is paused. A run prolongs a chain when its change is known to be written by a run of it, or when its
// path fired before in it, which a burst of files or a steady stream of new ones never does; WatchLoopDetector has the rest.
import type { Clock } from "../clock.ts";
import { MINUTE_MS } from "../time_units.ts";
import type { ChangeOrigin } from "./change_origin.ts";
import { WatchLoopDetector } from "./watch_loop_detector.ts";
import { LATE_EVENT_MS, MAX_CHAIN } from "./loop_limits.ts";

/** How often one path of an agent may fire in a minute. */
const MAX_FIRES_PER_MINUTE = 20;
/** A change by a chain of so many runs goes before others: see TriggerBreaker.urgency. */
const TELLING_CHAIN = 5;

const MAX_PATHS = 10_000;
const MAX_RUNS = 10_000;

/** A change whose turn it is. */
interface Firing {
  path: string;
  origin: ChangeOrigin;
}

/** What is to become of a change: it fires, waits a while, or stops its trigger for this reason. */
export type Verdict = "fires" | { waitMs: number } | { refusal: string };

/** Decides whether changes of watched files may fire, by what fired before; all agents of a service share one. */
export class TriggerBreaker {
  readonly #clock: Pick<Clock, "now">;
  readonly #loops: WatchLoopDetector;
  /** When each path of each agent fired in the last minute; least recent first. */
  readonly #fires = new Map<string, number[]>();
  /** Paths that fired, whatever the agent; least recent first. */
  readonly #touched = new Set<string>();
  /** How many runs the chain of each run has with it; oldest first. Kept when it is over: its files may be seen late. */
  readonly #lengths = new Map<number, number>();
  /** The runs whose chains are long enough to tell; oldest first. */
  readonly #telling = new Set<number>();
  /** When the runs that go on, or did a moment ago, ended; undefined: not yet. */
  readonly #recent = new Map<number, number | undefined>();

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
    this.#loops = new WatchLoopDetector(clock);
  }

  /** What a change of an agent's files, noticed at this moment, may come from. */
  noticed(agentId: string): ChangeOrigin {
    const { generation, noticedAt } = this.#loops.noticed(agentId);
    return { around: this.#longestAround(), writer: 0, generation, noticedAt };
  }

  /** Whether a change may fire. */
  judge(agentId: string, change: Firing): Verdict {
    if (this.#recentFires(agentId, change.path).length >= MAX_FIRES_PER_MINUTE) {
      return {
        refusal: `${change.path} fired more than ${MAX_FIRES_PER_MINUTE} times within a minute`,
      };
    }
    const inARow =
      `more than ${MAX_CHAIN} runs in a row were each caused by a change made while the one before ran`;
    if (this.#lengthWith(change) > MAX_CHAIN) {
      return { refusal: `${inARow}, the last one by ${change.path}` };
    }
    const verdict = this.#loops.judge(agentId, change.origin.generation);
    return verdict === "loops"
      ? { refusal: `${inARow}, and nothing changed while none ran, the last one by ${change.path}` }
      : verdict;
  }

  /** Changes of a higher one go before others: where a loop branches, it is found by its longest branch. Mostly 0. */
  urgency(agentId: string, { writer, generation }: ChangeOrigin): number {
    const length = this.#lengthOf(writer);
    const known = length < TELLING_CHAIN ? 0 : length;
    return Math.max(known, this.#loops.countWith(agentId, generation));
  }

  /** Whether urgency() may be more than 0 for a change of this agent. */
  hasUrgent(agentId: string): boolean {
    return this.#telling.size > 0 || this.#loops.mayBeLooping(agentId);
  }

  /** A change fired. */
  started(agentId: string, run: Firing & { executionId: number }): void {
    const fires = this.#recentFires(agentId, run.path);
    const key = keyOf(agentId, run.path);
    this.#fires.delete(key);
    this.#fires.set(key, [...fires, this.#clock.now()]);
    this.#forgetFires();
    const length = this.#lengthWith(run);
    this.#lengths.set(run.executionId, length);
    if (length >= TELLING_CHAIN) this.#telling.add(run.executionId);
    this.#recent.set(run.executionId, undefined);
    this.#touched.delete(run.path);
    this.#touched.add(run.path);
    forgetOldest(this.#lengths, MAX_RUNS);
    forgetOldest(this.#telling, MAX_RUNS);
    forgetOldest(this.#touched, MAX_PATHS);
    this.#loops.started(agentId, run);
  }

  /** A run is over, or waits for a person. */
  ended(executionId: number): void {
    if (this.#recent.has(executionId)) {
      this.#recent.set(executionId, this.#recent.get(executionId) ?? this.#clock.now());
    }
    this.#loops.ended(executionId);
  }

  /** A run that waited continues: what a person's answer brings about is not a loop. */
  resumed(executionId: number): void {
    this.#lengths.delete(executionId);
    this.#telling.delete(executionId);
    this.#recent.delete(executionId);
  }

  /** Counts anew for an agent, and every chain. */
  reset(agentId: string): void {
    for (const key of this.#fires.keys()) {
      if (key.startsWith(`${agentId}\n`)) this.#fires.delete(key);
    }
    for (const executionId of this.#lengths.keys()) this.#lengths.set(executionId, 1);
    this.#telling.clear();
    this.#touched.clear();
    this.#loops.reset(agentId);
  }

  /** An agent watches no more. */
  forget(agentId: string): void {
    this.reset(agentId);
    this.#loops.forget(agentId);
  }

  /** The length of the longest chain that a change made at this moment may come from; 0: nothing runs. */
  #longestAround(): number {
    const now = this.#clock.now();
    let longest = 0;
    for (const [id, endedAt] of this.#recent) {
      if (endedAt !== undefined && now - endedAt > LATE_EVENT_MS) this.#recent.delete(id);
      else longest = Math.max(longest, this.#lengthOf(id));
    }
    return longest;
  }

  /** 0: the run is not part of a chain, or is forgotten. */
  #lengthOf(executionId: number): number {
    return this.#lengths.get(executionId) ?? 0;
  }

  #lengthWith({ path, origin: { around, writer } }: Firing): number {
    return 1 + Math.max(this.#lengthOf(writer), this.#touched.has(path) ? around : 0);
  }

  #recentFires(agentId: string, path: string): number[] {
    const now = this.#clock.now();
    return (this.#fires.get(keyOf(agentId, path)) ?? []).filter((at) => isRecent(at, now));
  }

  /** Forgets the paths that have not fired for a minute, and the least recent of too many. */
  #forgetFires(): void {
    const now = this.#clock.now();
    for (const [key, fires] of this.#fires) {
      if (this.#fires.size <= MAX_PATHS && fires.some((at) => isRecent(at, now))) return;
      this.#fires.delete(key);
    }
  }
}

function forgetOldest<K>(
  known: { size: number; keys(): Iterable<K>; delete(key: K): unknown },
  most: number,
): void {
  for (const key of known.keys()) {
    if (known.size <= most) return;
    known.delete(key);
  }
}

function keyOf(agentId: string, path: string): string {
  return `${agentId}\n${path}`;
}

/** Within the last minute. A clock that was set back leaves times in the future: they count no more. */
function isRecent(at: number, now: number): boolean {
  return at <= now && now - at < MINUTE_MS;
}
