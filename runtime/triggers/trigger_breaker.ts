// Tells when watch triggers feed themselves: one path that fires all the time, or runs that cause each other. Pure.
//
// Decision: a chain goes over all agents, because two that write for each other are a loop as well; whose turn it is when
// the limit is reached is paused. A run prolongs a chain when its path fired before in it, which a burst of files or a
// steady stream of new ones never does.
import type { Clock } from "../clock.ts";

/** How often one path of an agent may fire in a minute. */
const MAX_FIRES_PER_MINUTE = 20;
/** How many runs may cause each other. */
export const MAX_CHAIN = 20;

const MINUTE_MS = 60_000;
/** The file system tells of a run's last write when the run is over already. */
const AFTERMATH_MS = 1_000;
const MAX_PATHS = 10_000;

interface ChainRun {
  /** How many runs the chain has with this one. */
  length: number;
  /** Undefined while it runs. */
  endedAt: number | undefined;
}

/** Counts what fires. */
export class TriggerBreaker {
  readonly #clock: Pick<Clock, "now">;
  /** When each path of each agent fired in the last minute; least recent first. */
  readonly #fires = new Map<string, number[]>();
  /** Paths that fired, whatever the agent; least recent first. */
  readonly #touched = new Set<string>();
  readonly #runs = new Map<number, ChainRun>();

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  /** The length of the longest chain that a change made at this moment may come from; 0: nothing runs. */
  currentChain(): number {
    const now = this.#clock.now();
    let longest = 0;
    for (const [id, { length, endedAt }] of this.#runs) {
      if (endedAt !== undefined && now - endedAt > AFTERMATH_MS) this.#runs.delete(id);
      else longest = Math.max(longest, length);
    }
    return longest;
  }

  /** Why a change must not fire, as a sentence; undefined when it may. `chain` is what currentChain was when it was made. */
  refusal(agentId: string, change: { path: string; chain: number }): string | undefined {
    if (this.#recentFires(agentId, change.path).length >= MAX_FIRES_PER_MINUTE) {
      return `${change.path} fired more than ${MAX_FIRES_PER_MINUTE} times within a minute`;
    }
    if (this.#lengthWith(change) > MAX_CHAIN) {
      return `more than ${MAX_CHAIN} runs in a row were each caused by a change made while the one before ran, ` +
        `the last one by ${change.path}`;
    }
    return undefined;
  }

  /** A change fired. */
  started(
    agentId: string,
    run: { executionId: number; path: string; chain: number },
  ): void {
    const fires = this.#recentFires(agentId, run.path);
    const key = keyOf(agentId, run.path);
    this.#fires.delete(key);
    this.#fires.set(key, [...fires, this.#clock.now()]);
    this.#forgetFires();
    this.#runs.set(run.executionId, { length: this.#lengthWith(run), endedAt: undefined });
    this.#touched.delete(run.path);
    this.#touched.add(run.path);
    for (const path of this.#touched) {
      if (this.#touched.size <= MAX_PATHS) break;
      this.#touched.delete(path);
    }
  }

  /** A run is over, or waits for a person: what that person brings about is no loop. */
  ended(executionId: number): void {
    const run = this.#runs.get(executionId);
    if (run !== undefined) run.endedAt ??= this.#clock.now();
  }

  /** Counts anew for an agent, and every chain. */
  reset(agentId: string): void {
    for (const key of this.#fires.keys()) {
      if (key.startsWith(`${agentId}\n`)) this.#fires.delete(key);
    }
    for (const run of this.#runs.values()) run.length = 1;
    this.#touched.clear();
  }

  #lengthWith({ path, chain }: { path: string; chain: number }): number {
    return chain > 0 && this.#touched.has(path) ? chain + 1 : 1;
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

function keyOf(agentId: string, path: string): string {
  return `${agentId}\n${path}`;
}

/** Within the last minute. A clock that was set back leaves times in the future: they count no more. */
function isRecent(at: number, now: number): boolean {
  return at <= now && now - at < MINUTE_MS;
}
