// Tells an agent that fires itself by files that nobody saw it write (a script's, a custom tool's, an MCP server's) from
// one whose folder somebody else fills. Pure.
//
// Decision: an experiment, because in a busy folder changes come while runs go on just as well. After ten generations of
// runs in a row, each fired by a change noticed while watch runs went on, the agent's next ones wait in quiet for longer
// than their changes took to come. Whoever else writes there goes on meanwhile, and that starts the count over; a loop has
// nothing to go on with. (rejected: counting alone, which stops a folder that is always busy)
import type { Clock } from "../clock.ts";
import { BusyTime } from "./busy_time.ts";
import { type ChangeOrigin, FROM_OUTSIDE } from "./change_origin.ts";
import { MAX_CHAIN } from "./max_chain.ts";

/** So many generations in a row are trusted; each one after them waits in quiet. */
const TRUSTED_RUNS = 10;
/** An agent with no more than so many has no part in another one's loop. */
const UNRELATED_RUNS = 5;
/** The file system tells of a run's last write when the run is over already. */
const LATE_MS = 1_000;
const SHORTEST_QUIET_MS = 1_000;

/** The wait of an agent whose next generation has come. */
interface Cooldown {
  since: number;
  needMs: number;
  /** When the last of the runs was over that had begun before. */
  aloneSince: number | undefined;
}

interface LoopState {
  /** Of its newest run. */
  generation: number;
  /** The last generation before those that count. */
  base: number;
  /** The busy time at which the newest generation began. */
  begunAt: number;
  /** The longest busy time that the first change of a generation took to come. */
  longestMs: number;
  /** When each of its runs began. */
  running: Map<number, number>;
  /** Of those that are over. */
  longestRunMs: number;
  endedAt: number;
  cooldown: Cooldown | undefined;
}

/** Keeps count, for each agent, of the generations of runs that may have caused one another. */
export class WatchLoopDetector {
  readonly #clock: Pick<Clock, "now">;
  readonly #states = new Map<string, LoopState>();
  readonly #agents = new Map<number, string>();
  /** While any watch run goes on, or its changes may still be noticed. */
  readonly #busy = new BusyTime(LATE_MS);

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

  /** Whether a change of this generation must wait so many milliseconds, may fire, or shows that this is a loop. */
  judge(agentId: string, generation: number): "fires" | "loops" | { waitMs: number } {
    const state = this.#states.get(agentId);
    if (state === undefined || generation <= state.generation) return "fires";
    const length = lengthOf(state, generation);
    if (length <= TRUSTED_RUNS) return "fires";
    const waitMs = this.#waitMs(state, length);
    if (waitMs > 0) return { waitMs };
    return state.cooldown === undefined || length <= MAX_CHAIN ? "fires" : "loops";
  }

  /** How many generations in a row a change would begin the next one of; 0: it would not, or they are no matter yet. */
  lengthWith(agentId: string, generation: number): number {
    const state = this.#states.get(agentId);
    if (state === undefined || generation <= state.generation) return 0;
    const length = lengthOf(state, generation);
    return length > UNRELATED_RUNS ? length : 0;
  }

  /** Whether lengthWith() may be more than 0. */
  mayBeLooping(agentId: string): boolean {
    const state = this.#states.get(agentId);
    return state !== undefined && lengthOf(state, state.generation + 1) > UNRELATED_RUNS;
  }

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
    state.longestMs = Math.max(state.longestMs, noticedAt - state.begunAt);
    state.generation = generation;
    state.begunAt = this.#busy.total(now);
    state.cooldown = undefined;
  }

  ended(executionId: number): void {
    const agentId = this.#agents.get(executionId);
    if (agentId === undefined) return;
    this.#agents.delete(executionId);
    const now = this.#clock.now();
    this.#busy.end(now);
    const state = this.#states.get(agentId);
    if (state === undefined) return;
    state.longestRunMs = Math.max(
      state.longestRunMs,
      now - (state.running.get(executionId) ?? now),
    );
    state.running.delete(executionId);
    state.endedAt = now;
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

  /** Somebody else writes to what it watches. */
  #startOver(state: LoopState): void {
    state.base = state.generation;
    state.begunAt = this.#busy.total(this.#clock.now());
    state.longestMs = 0;
    state.cooldown = undefined;
  }

  #mayBeOwn(state: LoopState, now: number): boolean {
    if (lengthOf(state, state.generation) < TRUSTED_RUNS) return this.#busy.isBusy(now);
    const from = this.#quietFrom(state, now);
    return from === undefined || now <= from;
  }

  /** Those whose runs may have made a change of this one's files. */
  *#related(state: LoopState): Iterable<LoopState> {
    for (const one of this.#states.values()) {
      if (one === state || lengthOf(one, one.generation) > UNRELATED_RUNS) yield one;
    }
  }

  /** The time after which a change of its files comes from somebody else; undefined while runs go on. */
  #quietFrom(state: LoopState, now: number): number | undefined {
    let from = -Infinity;
    for (const { running, endedAt } of this.#related(state)) {
      if (running.size > 0) return undefined;
      // An end in the future is one before the clock was set back.
      if (endedAt <= now) from = Math.max(from, endedAt + LATE_MS);
    }
    return from;
  }

  /** How long its next generation has to wait yet; 0: it has waited, or there is no need to any more. */
  #waitMs(state: LoopState, length: number): number {
    const now = this.#clock.now();
    if (state.cooldown !== undefined && state.cooldown.since > now) state.cooldown = undefined;
    // Longer each time, so that it falls into step with nobody who writes at regular times.
    const needMs = state.longestMs * (1 + (length - TRUSTED_RUNS) / 2);
    const cooldown = state.cooldown ??= {
      since: now,
      needMs: Math.ceil(Math.max(SHORTEST_QUIET_MS, needMs)),
      aloneSince: undefined,
    };
    const from = this.#quietFrom(state, now);
    if (from !== undefined) {
      return Math.max(0, Math.max(cooldown.since, from) + cooldown.needMs - now);
    }
    if (this.#isUnneeded(state, cooldown, now)) {
      this.#startOver(state);
      return 0;
    }
    if (now - cooldown.since <= this.#patienceMs(state, cooldown)) return LATE_MS;
    // Some run goes on for much longer than all before it: no quiet is to be had, so this generation is not counted.
    state.base++;
    state.cooldown = undefined;
    return 0;
  }

  /** How long a wait for quiet may take while runs go on. */
  #patienceMs(state: LoopState, { needMs }: Cooldown): number {
    const runs = [...this.#related(state)].map(({ longestRunMs }) => longestRunMs);
    return 3 * (Math.max(0, ...runs) + needMs + LATE_MS);
  }

  /** Whether the others keep running without it: their runs are not caused by its own. */
  #isUnneeded(state: LoopState, cooldown: Cooldown, now: number): boolean {
    for (const { running } of this.#related(state)) {
      for (const begunAt of running.values()) if (begunAt <= cooldown.since) return false;
    }
    cooldown.aloneSince ??= now;
    return now - cooldown.aloneSince > 3 * (cooldown.needMs + LATE_MS);
  }
}

/** How many generations in a row there are with this one, the one that began it included. */
function lengthOf({ base }: LoopState, generation: number): number {
  return generation - base + 1;
}

function newState(begunAt: number): LoopState {
  return {
    generation: 0,
    base: 0,
    begunAt,
    longestMs: 0,
    running: new Map(),
    longestRunMs: 0,
    endedAt: -Infinity,
    cooldown: undefined,
  };
}
