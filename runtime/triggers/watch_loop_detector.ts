// Distinguishes an agent that fires itself, by files that nobody saw it write (a script's, a custom tool's, an MCP
// server's), from one whose folder somebody else fills. Pure.
//
// Example: an agent runs a script for each new file in `inbox`, and the script leaves a log file in `inbox`, too.
//  1. Somebody drops a.pdf. Nothing runs when the change is noticed, so it comes from outside: generation 0.
//  2. That run leaves a.log. The change is noticed while a run is in progress, so it may be the agent's own: generation 1.
//     The run of generation 1 leaves a file that starts generation 2, and so on.
//  3. Ten generations in a row fire at once. The change that would start the eleventh waits until no run has been in
//     progress for longer than any generation so far took to leave a file.
//  4. A change that is noticed during that wait comes from outside: somebody else fills the folder, and the count starts
//     over. In a loop there is no such change, because no run is there to make one: the waiting change fires, its run
//     leaves a file, the next change waits a little longer.
//  5. The change that would start the generation after MAX_CHAIN in a row does not fire any more: this is a loop.
//
// Decision: an experiment, because in a busy folder changes arrive during runs just as well. (rejected: counting alone,
// which stops an agent whose folder is always busy)
import type { Clock } from "../clock.ts";
import { BusyTime } from "./busy_time.ts";
import { type ChangeOrigin, FROM_OUTSIDE } from "./change_origin.ts";
import { LATE_EVENT_MS, MAX_CHAIN } from "./loop_limits.ts";

/** So many generations in a row fire at once; the change for each one after them has to wait. */
const TRUSTED_GENERATIONS = 10;
/** An agent with no more generations in a row than this is not part of another agent's loop. */
const UNRELATED_GENERATIONS = 5;
const SHORTEST_QUIET_MS = 1_000;

/** The wait of the change that would start an agent's next generation. */
interface Cooldown {
  begunAt: number;
  /** How long no run may be in progress before the change fires. */
  quietMs: number;
  /** Since when every run in progress is one that began after this wait; undefined while an older one is. */
  onlyNewRunsSince: number | undefined;
}

/** What is known of one agent. Instants are those of the clock, unless they are called busy time. */
interface LoopState {
  /** That of the newest run. */
  generation: number;
  /** The generation that counts as the first of those in a row. */
  firstGeneration: number;
  /** The busy time at which the newest generation began. */
  generationBegunAt: number;
  /** The longest busy time between the beginnings of a generation and of the change that started the next one. */
  longestStepMs: number;
  /** When each run in progress began, by execution. */
  running: Map<number, number>;
  /** The longest of the runs that have ended. */
  longestRunMs: number;
  /** When the last one ended. */
  lastEndedAt: number;
  cooldown: Cooldown | undefined;
}

/** Counts, for each agent, the generations of runs that may have caused one another. */
export class WatchLoopDetector {
  readonly #clock: Pick<Clock, "now">;
  readonly #states = new Map<string, LoopState>();
  /** The agent of each run in progress. */
  readonly #agents = new Map<number, string>();
  /** Passes while any run is in progress, or its changes may still be noticed. */
  readonly #busy = new BusyTime(LATE_EVENT_MS);

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  /** What a change of an agent's files, noticed now, may come from. */
  noticed(agentId: string): Pick<ChangeOrigin, "generation" | "noticedAt"> {
    const state = this.#states.get(agentId);
    if (state === undefined) return FROM_OUTSIDE;
    const now = this.#clock.now();
    if (!this.#mayBeOwn(state, now)) {
      this.#startOver(state);
      return FROM_OUTSIDE;
    }
    return { generation: state.generation + 1, noticedAt: this.#busy.total(now) };
  }

  /** Whether a change of this generation may fire, must wait so many milliseconds first, or shows that this is a loop. */
  judge(agentId: string, generation: number): "fires" | "loops" | { waitMs: number } {
    const state = this.#states.get(agentId);
    if (state === undefined || generation <= state.generation) return "fires";
    const count = countInRow(state, generation);
    if (count <= TRUSTED_GENERATIONS) return "fires";
    const waitMs = this.#waitMs(state, count);
    if (waitMs > 0) return { waitMs };
    return state.cooldown === undefined || count <= MAX_CHAIN ? "fires" : "loops";
  }

  /**
   * How many generations in a row there would be with one that a change starts; 0 when it starts none, or when they are
   * too few to be part of a loop.
   */
  countWith(agentId: string, generation: number): number {
    const state = this.#states.get(agentId);
    if (state === undefined || generation <= state.generation) return 0;
    const count = countInRow(state, generation);
    return count > UNRELATED_GENERATIONS ? count : 0;
  }

  /** Whether countWith() may be more than 0. */
  mayBeLooping(agentId: string): boolean {
    const state = this.#states.get(agentId);
    return state !== undefined && countInRow(state, state.generation + 1) > UNRELATED_GENERATIONS;
  }

  /** A run of the agent has begun, for a change of this origin. */
  started(
    agentId: string,
    run: { executionId: number; origin: Pick<ChangeOrigin, "generation" | "noticedAt"> },
  ): void {
    const now = this.#clock.now();
    this.#busy.begin(now);
    const state = this.#states.get(agentId) ?? newState(this.#busy.total(now));
    this.#states.set(agentId, state);
    this.#agents.set(run.executionId, agentId);
    state.running.set(run.executionId, now);
    const { generation, noticedAt } = run.origin;
    if (generation <= state.generation) return;
    state.longestStepMs = Math.max(state.longestStepMs, noticedAt - state.generationBegunAt);
    state.generation = generation;
    state.generationBegunAt = this.#busy.total(now);
    state.cooldown = undefined;
  }

  /** A run has ended, or waits for a person. */
  ended(executionId: number): void {
    const agentId = this.#agents.get(executionId);
    if (agentId === undefined) return;
    this.#agents.delete(executionId);
    const now = this.#clock.now();
    this.#busy.end(now);
    const state = this.#states.get(agentId);
    if (state === undefined) return;
    const begunAt = state.running.get(executionId) ?? now;
    state.longestRunMs = Math.max(state.longestRunMs, now - begunAt);
    state.running.delete(executionId);
    state.lastEndedAt = now;
  }

  /** Starts the count of this agent over. */
  reset(agentId: string): void {
    const state = this.#states.get(agentId);
    if (state !== undefined) this.#startOver(state);
  }

  /** This agent watches no more, and none of its changes waits. */
  forget(agentId: string): void {
    this.#states.delete(agentId);
  }

  /** From now on the newest generation counts as the first. */
  #startOver(state: LoopState): void {
    state.firstGeneration = state.generation;
    state.generationBegunAt = this.#busy.total(this.#clock.now());
    state.longestStepMs = 0;
    state.cooldown = undefined;
  }

  /** Whether a change of the agent's files that is noticed now may come from a run. */
  #mayBeOwn(state: LoopState, now: number): boolean {
    if (countInRow(state, state.generation) < TRUSTED_GENERATIONS) return this.#busy.isBusy(now);
    const quietFrom = this.#quietFrom(state, now);
    return quietFrom === undefined || now <= quietFrom;
  }

  /** The agent itself, and those that may be part of the same loop. */
  *#related(state: LoopState): Iterable<LoopState> {
    for (const one of this.#states.values()) {
      if (one === state || countInRow(one, one.generation) > UNRELATED_GENERATIONS) yield one;
    }
  }

  /** The time after which a change of the agent's files comes from outside; undefined while related runs are in progress. */
  #quietFrom(state: LoopState, now: number): number | undefined {
    let from = -Infinity;
    for (const { running, lastEndedAt } of this.#related(state)) {
      if (running.size > 0) return undefined;
      // An end in the future is one before the clock was set back.
      if (lastEndedAt <= now) from = Math.max(from, lastEndedAt + LATE_EVENT_MS);
    }
    return from;
  }

  /** How long the change that would start the next generation still has to wait; 0: it has waited, or need not any more. */
  #waitMs(state: LoopState, count: number): number {
    const now = this.#clock.now();
    if (state.cooldown !== undefined && state.cooldown.begunAt > now) state.cooldown = undefined;
    const cooldown = state.cooldown ??= {
      begunAt: now,
      quietMs: quietMs(state, count),
      onlyNewRunsSince: undefined,
    };
    const quietFrom = this.#quietFrom(state, now);
    if (quietFrom !== undefined) {
      return Math.max(0, Math.max(cooldown.begunAt, quietFrom) + cooldown.quietMs - now);
    }
    if (this.#hasOtherCauses(state, cooldown, now)) {
      this.#startOver(state);
      return 0;
    }
    if (now - cooldown.begunAt <= this.#patienceMs(state, cooldown)) return LATE_EVENT_MS;
    // Some run takes much longer than all before it, and there will be no quiet: this generation is not counted.
    state.firstGeneration++;
    state.cooldown = undefined;
    return 0;
  }

  /** How long a wait for quiet may take while related runs are in progress. */
  #patienceMs(state: LoopState, cooldown: Cooldown): number {
    const runs = [...this.#related(state)].map(({ longestRunMs }) => longestRunMs);
    return 3 * (Math.max(0, ...runs) + cooldown.quietMs + LATE_EVENT_MS);
  }

  /** Whether related runs keep beginning while the agent waits: then something else than its own runs causes them. */
  #hasOtherCauses(state: LoopState, cooldown: Cooldown, now: number): boolean {
    for (const { running } of this.#related(state)) {
      for (const begunAt of running.values()) if (begunAt <= cooldown.begunAt) return false;
    }
    cooldown.onlyNewRunsSince ??= now;
    return now - cooldown.onlyNewRunsSince > 3 * (cooldown.quietMs + LATE_EVENT_MS);
  }
}

/** How many generations in a row there are with this one. */
function countInRow({ firstGeneration }: LoopState, generation: number): number {
  return generation - firstGeneration + 1;
}

/** How long it must be quiet before so many generations in a row may become one more. */
function quietMs({ longestStepMs }: LoopState, count: number): number {
  // Longer each time, also the shortest, so that it never falls between the times of somebody who writes regularly.
  const factor = 1 + (count - TRUSTED_GENERATIONS) / 2;
  return Math.ceil(Math.max(SHORTEST_QUIET_MS, longestStepMs) * factor);
}

function newState(generationBegunAt: number): LoopState {
  return {
    generation: 0,
    firstGeneration: 0,
    generationBegunAt,
    longestStepMs: 0,
    running: new Map(),
    longestRunMs: 0,
    lastEndedAt: -Infinity,
    cooldown: undefined,
  };
}
