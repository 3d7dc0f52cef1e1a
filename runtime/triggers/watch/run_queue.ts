// The file changes that one watch agent has not run for yet, one for a path, oldest first, as they are stored; and the runs
// for them, as soon as there is room: at most so many at once, one for a path. What cannot run yet keeps its place.
import type { Agent, WatchTrigger } from "../../agents/agent.ts";
import { backoffMs } from "../../../base/backoff.ts";
import { sleepUnlessAborted } from "../../../base/bounded_wait.ts";
import type { Clock } from "../../../base/clock.ts";
import { RuntimeError } from "../../../base/errors.ts";
import { MINUTE_MS } from "../../../base/time_units.ts";
import { SerialQueue } from "../../../base/serial_queue.ts";
import type { FileEvent } from "../../run_cause.ts";
import type { ServiceLog } from "../../service_log/service_log.ts";
import type { StartRun } from "../fire.ts";
import { RESTART, type StoppedTriggers } from "../stopped_triggers.ts";
import { foldEvents } from "./change_folding.ts";
import {
  type ChangeOrigin,
  FROM_OUTSIDE,
  joinOrigins,
  type TriggerBreaker,
} from "./trigger_breaker.ts";
import type { OpenRun, QueuedChange, SeenFile, WatchStore } from "./watch_store.ts";

/** How many runs of one agent its watch has going at once. */
const MAX_RUNS = 4;
/** The wait after a failure to store a change, or to run for one. */
const RETRY = { firstMs: 5_000, longestMs: 300_000 };

/** An agent with a watch trigger that may fire. */
export type WatchingAgent = Agent & { trigger: WatchTrigger };

/** A change to run for. */
export interface WatchChange {
  path: string;
  event: FileEvent;
  origin: ChangeOrigin;
}

/** What the queue of an agent needs. */
export interface RunQueuePorts {
  store: WatchStore;
  start: StartRun;
  /** Whether triggers are paused. */
  isPaused: () => Promise<boolean>;
  clock: Clock;
  log: ServiceLog;
  stops: StoppedTriggers;
  breaker: TriggerBreaker;
}

/** One agent's queue. What it does, it does one thing after the other. */
export class RunQueue implements AsyncDisposable {
  readonly #ports: RunQueuePorts;
  readonly #over = new AbortController();
  readonly #changes = new Map<string, WatchChange & { queuedAt: number }>();
  /** The runs that have not ended. */
  readonly #runs = new Map<number, Omit<OpenRun, "executionId">>();
  #agent: WatchingAgent;
  #isStarted = false;
  /** A run of its conversation waits for a person, who has to answer first. */
  #isHeld = false;
  /** A budget is used up. */
  #isShort = false;
  #failures = 0;
  #retry: Promise<void> | undefined;
  readonly #work = new SerialQueue();

  /** `waiting`: what is stored. */
  constructor(agent: WatchingAgent, waiting: readonly QueuedChange[], ports: RunQueuePorts) {
    this.#agent = agent;
    this.#ports = ports;
    for (const { path, event, queuedAt } of waiting) {
      this.#changes.set(path, { path, event, queuedAt, origin: FROM_OUTSIDE });
    }
  }

  /**
   * Counts the runs that go on as they are stored: those from before this queue, and where it may have missed what became of
   * some, as another machine ran them.
   */
  async takeUp(): Promise<void> {
    await this.#serially(async () => {
      const open = await this.#ports.store.readOpenRuns(this.#agent.id);
      const before = [...this.#runs.keys()];
      this.#runs.clear();
      for (const { executionId, ...run } of open) this.#runs.set(executionId, run);
      for (const id of before) if (!this.#runs.get(id)?.isRunning) this.#ports.breaker.ended(id);
    });
  }

  /** Works from now on for the agent as its file says: what held its changes back may have been edited away. */
  update(agent: WatchingAgent): void {
    this.#agent = agent;
    this.wake();
  }

  /** Stores changes, and how files were with them; then runs what there is room for. Resolves when they are stored. */
  async put(changes: readonly WatchChange[], seen: readonly SeenFile[]): Promise<void> {
    await this.#serially(() => this.#storeInTime(changes, seen));
    void this.#serially(() => this.#run());
  }

  /** Drops the changes of other paths than these: they will never run. */
  async keepOnly(isKept: (path: string) => boolean): Promise<void> {
    await this.#serially(async () => {
      const dropped = [...this.#changes.keys()].filter((path) => !isKept(path));
      if (dropped.length === 0) return;
      const agentId = this.#agent.id;
      await this.#ports.store.dropQueued(dropped.map((path) => ({ agentId, path })));
      for (const path of dropped) this.#changes.delete(path);
      const message = "File changes that waited are dropped: nobody watches for them any more";
      this.#ports.log.write("info", message, { agent: agentId, changes: dropped.length });
    });
  }

  /** Begins to run for what waits. */
  start(): void {
    this.#isStarted = true;
    this.wake();
  }

  /** Runs what there is room for. Whatever held it back may be over. */
  wake(): void {
    void this.#serially(async () => {
      this.#isHeld = false;
      await this.#run();
    });
  }

  /** Its trigger may fire again: continues with the changes that are still stored. */
  released(): void {
    void this.#serially(async () => {
      const { id } = this.#agent;
      const stored = new Set((await this.#ports.store.readQueue(id)).map(({ path }) => path));
      for (const path of this.#changes.keys()) if (!stored.has(path)) this.#changes.delete(path);
    });
    this.wake();
  }

  /** An execution of this agent has ended, or waits for a person; either makes room for another one. Or it continues. */
  hear(executionId: number, type: `execution_${"completed" | "waiting" | "resumed"}`): void {
    const { breaker } = this.#ports;
    const continues = type === "execution_resumed";
    // In turn, because a run may have ended before its start is known here.
    void this.#serially(() => {
      const run = this.#runs.get(executionId);
      if (run !== undefined) run.isRunning = continues;
      if (type === "execution_completed") this.#runs.delete(executionId);
      if (continues) breaker.resumed(executionId);
      else breaker.ended(executionId);
      return Promise.resolve();
    });
    this.wake();
  }

  /** Starts nothing more, and does not wait for anything any more; changes can still be stored. */
  stop(): void {
    this.#over.abort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop();
    await this.#retry;
    await this.#work.settled();
  }

  #serially(work: () => Promise<void>): Promise<void> {
    return this.#work.run(work).catch((error) => {
      const fields = { agent: this.#agent.id, error };
      this.#ports.log.write("error", "The queue of file changes failed", fields);
    });
  }

  /** What cannot be stored is logged and tried anew, once more after the end. */
  async #storeInTime(changes: readonly WatchChange[], seen: readonly SeenFile[]): Promise<void> {
    const { clock, log } = this.#ports;
    const { signal } = this.#over;
    for (let failures = 1;; failures++) {
      try {
        return await this.#store(changes, seen);
      } catch (error) {
        const what = signal.aborted ? "they are lost" : "tried again soon";
        const fields = { agent: this.#agent.id, changes: changes.length, error };
        log.write("error", `File changes could not be stored; ${what}`, fields);
        if (signal.aborted) return;
        await sleepUnlessAborted(clock, backoffMs(failures, RETRY), signal);
      }
    }
  }

  async #store(changes: readonly WatchChange[], seen: readonly SeenFile[]): Promise<void> {
    const { store, clock } = this.#ports;
    const agentId = this.#agent.id;
    const dropped: string[] = [];
    const queued = changes.flatMap(({ path, event, origin }) => {
      const known = this.#changes.get(path);
      if (known === undefined) return [{ path, event, origin, queuedAt: clock.now() }];
      const folded = foldEvents(known.event, event);
      if (folded === undefined) dropped.push(path);
      return folded === undefined
        ? []
        : [{ ...known, event: folded, origin: joinOrigins(known.origin, origin) }];
    });
    if (queued.length > 0 || dropped.length > 0) {
      const isStored = await store.enqueue(
        queued.map(({ path, event, queuedAt }) => ({ agentId, path, event, queuedAt })),
        {
          dropped: dropped.map((path) => ({ agentId, path })),
          seen: seen.map((file) => ({ agentId, ...file })),
        },
      );
      // Whoever watches now has noticed them, too.
      if (!isStored) return;
    } else if (seen.length > 0) await store.markSeen(agentId, seen);
    for (const path of dropped) this.#changes.delete(path);
    for (const change of queued) this.#changes.set(change.path, change);
  }

  async #run(): Promise<void> {
    const { breaker, start, stops, log } = this.#ports;
    const agent = this.#agent;
    try {
      for (let change; (change = await this.#next()) !== undefined;) {
        const { path, event, origin } = change;
        const refusal = breaker.refusal(agent.id, { ...change, maxRuns: agent.trigger.maxRuns });
        if (refusal !== undefined) {
          return stops.stop(agent, { what: "watch", ...refusal, remedy: RESTART });
        }
        const fired = await start(agent, { type: "watch", event, path });
        this.#failures = 0;
        // Its conversation, or what runs already, has to end first.
        this.#isHeld = fired.outcome === "waiting" || fired.outcome === "running";
        if (fired.outcome === "stopping") this.stop();
        // It keeps its place until there is money: a new day begins without an event, and somebody may raise the budget.
        if (fired.outcome === "budget") return this.#holdForBudget();
        if (fired.outcome === "started") {
          const { executionId } = fired;
          this.#isShort = false;
          breaker.started(agent.id, { executionId, path, origin });
          this.#runs.set(executionId, { path, isRunning: true });
        }
        // It took the change out of the store.
        if (["started", "claimed", "withdrawn"].includes(fired.outcome)) this.#changes.delete(path);
      }
    } catch (error) {
      const message = "Cannot start a run for a file change; it is tried again";
      // Another machine watches now.
      const isOthers = error instanceof RuntimeError && error.code === "conflict";
      log.write(isOthers ? "info" : "error", message, { agent: agent.id, error });
      this.#retry = this.#wakeAfter(backoffMs(++this.#failures, RETRY));
    }
  }

  #holdForBudget(): void {
    if (!this.#isShort) {
      const fields = { agent: this.#agent.id, waiting: this.#changes.size };
      this.#ports.log.write("info", "File changes wait: a budget is used up", fields);
    }
    this.#isShort = true;
    this.#retry = this.#wakeAfter(MINUTE_MS);
  }

  /** The change whose turn it is; undefined when none may run now. */
  async #next(): Promise<WatchChange | undefined> {
    if (!this.#isStarted || this.#over.signal.aborted || this.#isHeld) return undefined;
    if (this.#retry !== undefined || !this.#ports.stops.admits(this.#agent.id)) return undefined;
    // Those that wait for a person take no room.
    const running = this.#runs.values().filter(({ isRunning }) => isRunning);
    const busy = new Set(running.map(({ path }) => path));
    if (busy.size >= MAX_RUNS) return undefined;
    const change = this.#changes.values().find(({ path }) => !busy.has(path));
    return change === undefined || await this.#ports.isPaused() ? undefined : change;
  }

  async #wakeAfter(ms: number): Promise<void> {
    await sleepUnlessAborted(this.#ports.clock, ms, this.#over.signal);
    this.#retry = undefined;
    this.wake();
  }
}
