// The stored queue of one agent's file changes: one change per path, oldest first. Starts a run for each change, up to
// MAX_RUNS at a time and one per path. A change that cannot run yet keeps its position.
import type { TriggerContext } from "../firing/trigger_context.ts";
import type { PathBase } from "../../agents/agent_paths.ts";
import { backoffMs } from "../../../base/backoff.ts";
import { sleepUnlessAborted } from "../../../base/bounded_wait.ts";
import { RuntimeError } from "../../../base/errors.ts";
import { MINUTE_MS } from "../../../base/time_units.ts";
import { SerialQueue } from "../../../base/serial_queue.ts";
import { WorkLoop } from "../../../base/work_loop.ts";
import type { Directories } from "../../config/directories.ts";
import type { ContentDigests } from "../../folders/content_digests.ts";
import type { WatchedPlaces } from "../../folders/watched_places.ts";
import type { FileEvent } from "../../vocabulary/run_cause.ts";
import type { TriggeredAgent } from "../firing/fire.ts";
import { mergeEvents } from "./change_folding.ts";
import type { OwnWrites } from "./own_writes.ts";
import {
  type ChangeOrigin,
  FROM_OUTSIDE,
  mergeOrigins,
  type TriggerBreaker,
} from "./trigger_breaker.ts";
import type { OpenRun, QueuedChange, SeenFile, SqlWatchStore } from "./watch_store.ts";

/** The maximum number of simultaneous runs of one agent's watch. */
const MAX_RUNS = 4;
/** The backoff after a failure to store a change or to start its run. */
const RETRY = { firstMs: 5_000, longestMs: 300_000 };

/** The texts of the reason if `trigger.max_runs` is reached. */
const RUN_LIMIT = { cause: "changed files", limit: "trigger.max_runs allows" };

/** An enabled agent with a watch trigger. */
export type WatchingAgent = TriggeredAgent<"watch">;

/** A file change that starts a run. */
export interface WatchChange {
  path: string;
  event: FileEvent;
  origin: ChangeOrigin;
}

/** The collaborators of the watches of all agents. */
export interface WatchPorts
  extends Pick<TriggerContext, "clock" | "log" | "stops" | "start" | "isPaused"> {
  settings: PathBase & { directories: Pick<Directories, "configDir" | "stateDir"> };
  store: SqlWatchStore;
  ownWrites: OwnWrites;
  breaker: TriggerBreaker;
  places: WatchedPlaces;
  /** The digests of watched files. */
  digests: ContentDigests;
  /** The maximum number of files and folders at a watched path. */
  mostEntries: number;
}

/** The queue of one agent's file changes. Its operations run one at a time. */
export class RunQueue implements AsyncDisposable {
  readonly #ports: WatchPorts;
  readonly #loop: WorkLoop;
  readonly #changes = new Map<string, WatchChange & { queuedAt: number }>();
  /** The runs that have not ended, by execution id. */
  readonly #runs = new Map<number, Omit<OpenRun, "executionId">>();
  #agent: WatchingAgent;
  #isStarted = false;
  /** True while a budget is used up, so that this is logged only once. */
  #isShort = false;
  readonly #work = new SerialQueue();

  /** Creates a queue from the stored changes `waiting`. */
  constructor(agent: WatchingAgent, waiting: readonly QueuedChange[], ports: WatchPorts) {
    this.#agent = agent;
    this.#ports = ports;
    this.#loop = new WorkLoop({
      clock: ports.clock,
      work: () => this.#work.run(() => this.#run()),
      failed: (error) => {
        const message = "Cannot start a run for a file change; it is tried again";
        // The error `conflict` means that another machine watches for this agent now, which is no failure.
        const isOthers = error instanceof RuntimeError && error.code === "conflict";
        ports.log.write(isOthers ? "info" : "error", message, { agent: this.#agent.id, error });
      },
      retry: RETRY,
    });
    for (const change of waiting) {
      this.#changes.set(change.path, { ...change, origin: FROM_OUTSIDE });
    }
  }

  /**
   * Reads the runs that have not ended from the database. They include runs from before a restart. Runs whose end on
   * another machine was missed are removed.
   */
  async loadOpenRuns(): Promise<void> {
    await this.#serially(async () => {
      const open = await this.#ports.store.readOpenRuns(this.#agent.id);
      const before = [...this.#runs.keys()];
      this.#runs.clear();
      for (const { executionId, ...run } of open) this.#runs.set(executionId, run);
      for (const id of before) if (!this.#runs.get(id)?.isRunning) this.#ports.breaker.ended(id);
    });
  }

  /** Replaces the agent's definition and tries to start runs, because the edit may have removed the obstacle. */
  update(agent: WatchingAgent): void {
    this.#agent = agent;
    this.wake();
  }

  /**
   * Stores changes and the new snapshot of their files, then starts runs. Resolves when the changes are stored. After a
   * failure, logs the error and retries until the queue is stopped; the stop causes one last attempt.
   */
  async put(changes: readonly WatchChange[], seen: readonly SeenFile[]): Promise<void> {
    const { clock, log } = this.#ports;
    const { signal } = this.#loop;
    await this.#serially(async () => {
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
    });
    this.#loop.start();
  }

  /** Drops the changes of all paths that `isKept` rejects, because they can never run. */
  async keepOnly(isKept: (path: string) => boolean): Promise<void> {
    await this.#serially(async () => {
      const dropped = [...this.#changes.keys()].filter((path) => !isKept(path));
      if (dropped.length === 0) return;
      const agentId = this.#agent.id;
      await this.#ports.store.dropQueued(agentId, dropped);
      for (const path of dropped) this.#changes.delete(path);
      const message = "File changes that waited are dropped: nobody watches for them any more";
      this.#ports.log.write("info", message, { agent: agentId, changes: dropped.length });
    });
  }

  /** Enables the start of runs and starts runs for the stored changes. */
  start(): void {
    this.#isStarted = true;
    this.wake();
  }

  /** Tries to start runs for the stored changes. Does not shorten the wait after a failure. */
  wake(): void {
    this.#loop.start();
  }

  /**
   * Drops changes that are no longer in the database and starts runs for the others. Called after the trigger was re-armed.
   */
  reset(): void {
    void this.#serially(async () => {
      const { id } = this.#agent;
      const stored = new Set((await this.#ports.store.readQueue(id)).map(({ path }) => path));
      for (const path of this.#changes.keys()) if (!stored.has(path)) this.#changes.delete(path);
    });
    this.wake();
  }

  /** Updates the state of a run of this agent when it ends, rests, waits for a person, or continues. */
  handleEvent(
    executionId: number,
    type: `execution_${"completed" | "waiting" | "resting" | "resumed"}`,
  ): void {
    const { breaker } = this.#ports;
    const continues = type === "execution_resumed";
    // Runs in the serial queue, because this event may arrive before the start of the run is recorded.
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

  /** Starts no further runs and ends waits for retries. `put()` still stores changes. */
  stop(): void {
    this.#loop.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loop[Symbol.asyncDispose]();
    await this.#work.settled();
  }

  #serially(work: () => Promise<void>): Promise<void> {
    return this.#work.run(work).catch((error) => {
      const fields = { agent: this.#agent.id, error };
      this.#ports.log.write("error", "The queue of file changes failed", fields);
    });
  }

  async #store(changes: readonly WatchChange[], seen: readonly SeenFile[]): Promise<void> {
    const { store, clock } = this.#ports;
    const agentId = this.#agent.id;
    const dropped: string[] = [];
    const queued = changes.flatMap(({ path, event, origin }) => {
      const known = this.#changes.get(path);
      if (known === undefined) return [{ path, event, origin, queuedAt: clock.now() }];
      const folded = mergeEvents(known.event, event);
      if (folded === undefined) dropped.push(path);
      return folded === undefined
        ? []
        : [{ ...known, event: folded, origin: mergeOrigins(known.origin, origin) }];
    });
    if (queued.length > 0 || dropped.length > 0) {
      const isStored = await store.enqueue(agentId, queued, { dropped, seen });
      // Another machine watches for this agent now. It has noticed the same changes.
      if (!isStored) return;
    } else if (seen.length > 0) await store.markSeen(agentId, seen);
    for (const path of dropped) this.#changes.delete(path);
    for (const change of queued) this.#changes.set(change.path, change);
  }

  /** Starts runs for the stored changes. Returns the milliseconds until the next attempt if a budget is used up. */
  async #run(): Promise<number | undefined> {
    const { breaker, start, stops } = this.#ports;
    const agent = this.#agent;
    for (let change; (change = await this.#next()) !== undefined;) {
      const { path, event, origin } = change;
      const reason = breaker.refusal(agent.id, change);
      if (reason !== undefined) {
        stops.stop(agent, { what: "watch", by: "loop", reason });
        return undefined;
      }
      const { maxRuns } = agent.trigger;
      if (!stops.admitsRun(agent, { kind: "watch", maxRuns, ...RUN_LIMIT })) return undefined;
      const fired = await start(agent, {
        cause: { type: "watch", event, path },
        claim: { type: "change", path },
      });
      // The conversation or the previous run of the agent blocks it. The event of its end causes the next attempt.
      if (fired.outcome === "waiting" || fired.outcome === "running") return undefined;
      if (fired.outcome === "stopping") this.stop();
      // The change stays in the queue. A budget becomes available without an event, so the start is retried after a minute.
      if (fired.outcome === "budget") {
        this.#logShortBudget();
        return MINUTE_MS;
      }
      if (fired.outcome === "started") {
        const { executionId } = fired;
        this.#isShort = false;
        breaker.started(agent.id, { executionId, path, origin });
        this.#runs.set(executionId, { path, isRunning: true });
      }
      // After these outcomes, the stored change needs no further run.
      if (["started", "claimed", "withdrawn"].includes(fired.outcome)) this.#changes.delete(path);
    }
    return undefined;
  }

  #logShortBudget(): void {
    if (!this.#isShort) {
      const fields = { agent: this.#agent.id, waiting: this.#changes.size };
      this.#ports.log.write("info", "File changes wait: a budget is used up", fields);
    }
    this.#isShort = true;
  }

  /** Returns the next change that may start a run, or undefined if no run may start at present. */
  async #next(): Promise<WatchChange | undefined> {
    if (!this.#isStarted || this.#loop.signal.aborted) return undefined;
    if (!this.#ports.stops.admits(this.#agent.id)) return undefined;
    // Runs that wait for a person do not count toward MAX_RUNS.
    const running = this.#runs.values().filter(({ isRunning }) => isRunning);
    const busy = new Set(running.map(({ path }) => path));
    if (busy.size >= MAX_RUNS) return undefined;
    const change = this.#changes.values().find(({ path }) => !busy.has(path));
    return change === undefined || await this.#ports.isPaused() ? undefined : change;
  }
}
