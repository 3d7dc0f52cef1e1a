// Watch agents without files: changes come, settle and fire as in the service, and time flies from one event to the next.
import { TriggerBreaker } from "../../runtime/triggers/trigger_breaker.ts";
import type { ChangeOrigin } from "../../runtime/triggers/change_origin.ts";
import { TestClock } from "../support/test_clock.ts";

const MAX_RUNS = 4;

/** What a run does: files that nobody sees it write, each for the agent that watches them. */
export interface Played {
  runMs: number;
  writes: { afterMs: number; to: string | undefined }[];
}

/** An agent that watches a folder of its own. */
export interface Fed {
  id: string;
  debounceMs: number;
  play: () => Played;
}

interface Lane {
  fed: Fed;
  queue: { path: string; origin: ChangeOrigin }[];
  running: number;
  isWaiting: boolean;
}

/** Plays them. */
export class FedLanes {
  readonly clock = new TestClock(0);
  readonly breaker = new TriggerBreaker(this.clock);
  readonly stopped: string[] = [];
  runs = 0;
  readonly #lanes: Map<string, Lane>;
  readonly #events: { at: number; act: () => void }[] = [];
  #files = 0;

  constructor(agents: readonly Fed[]) {
    this.#lanes = new Map(agents.map((fed) => [
      fed.id,
      { fed, queue: [], running: 0, isWaiting: false },
    ]));
  }

  /** A new file comes for an agent. */
  drop(agentId: string, at: number): void {
    this.#plan(at, () => this.#notice(agentId));
  }

  /** Sets the clock; what is to happen happens when it would have. */
  setClock(ms: number): void {
    this.clock.jump(ms);
    for (const event of this.#events) event.at += ms;
  }

  /** Plays until nothing is left to happen, or so many runs have begun. */
  play(limit: { runs: number }): void {
    for (let next; this.runs < limit.runs && (next = this.#events.shift()) !== undefined;) {
      this.clock.jump(next.at - this.clock.now());
      next.act();
    }
  }

  #notice(agentId: string): void {
    const lane = this.#lanes.get(agentId);
    if (lane === undefined) return;
    const origin = this.breaker.noticed(agentId);
    const path = `/${agentId}/${++this.#files}`;
    this.#plan(this.clock.now() + lane.fed.debounceMs, () => {
      if (this.stopped.includes(agentId)) return;
      lane.queue.push({ path, origin });
      this.#look(lane);
    });
  }

  #look(lane: Lane): void {
    const { id } = lane.fed;
    while (lane.running < MAX_RUNS && !this.stopped.includes(id)) {
      const urgency = lane.queue.map(({ origin }) => this.breaker.urgency(id, origin));
      const change = lane.queue[urgency.indexOf(Math.max(...urgency))];
      if (change === undefined) return;
      const verdict = this.breaker.judge(id, change);
      if (verdict === "fires") this.#start(lane, change);
      else if ("refusal" in verdict) this.stopped.push(id);
      else return this.#wait(lane, verdict.waitMs);
    }
  }

  #wait(lane: Lane, ms: number): void {
    if (lane.isWaiting) return;
    lane.isWaiting = true;
    this.#plan(this.clock.now() + ms, () => {
      lane.isWaiting = false;
      this.#look(lane);
    });
  }

  #start(lane: Lane, change: Lane["queue"][number]): void {
    const { id, play } = lane.fed;
    lane.queue.splice(lane.queue.indexOf(change), 1);
    lane.running++;
    const executionId = ++this.runs;
    this.breaker.started(id, { executionId, ...change });
    const now = this.clock.now();
    const { runMs, writes } = play();
    for (const { afterMs, to } of writes) this.drop(to ?? id, now + afterMs);
    this.#plan(now + runMs, () => {
      lane.running--;
      this.breaker.ended(executionId);
      this.#look(lane);
    });
  }

  #plan(at: number, act: () => void): void {
    const before = this.#events.findLastIndex((one) => one.at <= at);
    this.#events.splice(before + 1, 0, { at, act });
  }
}
