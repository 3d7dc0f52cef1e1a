// Runs for the file changes of one watch agent, as soon as there is room for them. At most so many runs at once, one for a
// path; a change that cannot run yet keeps its place.
import { sleepUnlessAborted } from "../../../base/bounded_wait.ts";
import type { Clock } from "../../../base/clock.ts";
import { SerialQueue } from "../../../base/serial_queue.ts";
import type { ServiceLog } from "../../service_log/service_log.ts";
import type { StartRun } from "../fire.ts";
import { QueuedChanges, retryMs, type WatchChange } from "./queued_changes.ts";
import type { TriggerBreaker } from "./trigger_breaker.ts";
import type { OpenRun, QueuedChange, SeenFile, WatchStore } from "./watch_store.ts";
import type { WatchingAgent } from "./agent_watch.ts";

/** How many runs of one agent its watch has going at once. */
const MAX_RUNS = 4;

/** What lets a trigger that ran away fire again. */
const REMEDY = "Edit the agent, resume the scheduler or reload the agents to start it again.";

/** What the queue of an agent needs. */
export interface RunQueuePorts {
  store: WatchStore;
  start: StartRun;
  isPaused: () => Promise<boolean>;
  clock: Clock;
  log: ServiceLog;
  breaker: TriggerBreaker;
  onTripped: (agentId: string, reason: string) => void;
}

/** One agent's queue. What it does to itself, it does one thing after the other. */
export class RunQueue implements AsyncDisposable {
  readonly #ports: RunQueuePorts;
  readonly #over = new AbortController();
  readonly #queued: QueuedChanges;
  readonly #runs = new OpenRuns();
  #agent: WatchingAgent;
  /** A run of its conversation waits for a person, who has to answer first. */
  #isHeld = false;
  #trippedReason: string | null = null;
  #failures = 0;
  #retry: Promise<void> | undefined;
  readonly #work = new SerialQueue();

  constructor(agent: WatchingAgent, queued: readonly QueuedChange[], ports: RunQueuePorts) {
    this.#agent = agent;
    this.#ports = ports;
    const { store, clock, log } = ports;
    const { signal } = this.#over;
    this.#queued = new QueuedChanges(agent.id, queued, { store, clock, log, signal });
  }

  /** Counts the runs that began before this queue did: the service was restarted, or the agent's watch was. */
  async takeUp(): Promise<void> {
    await this.#serially(() =>
      this.#runs.whileStarting(async () => {
        const open = await this.#ports.store.readOpenRuns(this.#agent.id);
        for (const run of open) this.#runs.add(run);
      })
    );
  }

  /** Why the breaker has stopped this agent's trigger; null while it has not. */
  get trippedReason(): string | null {
    return this.#trippedReason;
  }

  /** Works from now on for the agent as its file says. */
  update(agent: WatchingAgent): void {
    this.#agent = agent;
  }

  /** Stores changes, and how files looked with them; then runs what there is room for. Resolves when they are stored. */
  async put(changes: readonly WatchChange[], seen: readonly SeenFile[]): Promise<void> {
    await this.#serially(() => this.#queued.put(changes, seen));
    void this.#serially(() => this.#run());
  }

  /** Drops the changes that are not the agent's business any more: they will never run. */
  async keepOnly(isKept: (path: string) => boolean): Promise<void> {
    await this.#serially(() => this.#queued.keepOnly(isKept));
  }

  /** Runs what there is room for. Whatever held it back may be over. */
  look(): void {
    void this.#serially(async () => {
      this.#isHeld = false;
      await this.#run();
    });
  }

  /** Lets a stopped trigger fire again. */
  reset(): void {
    this.#trippedReason = null;
    this.look();
  }

  /** An execution of this agent has ended, or waits for a person. Either makes room for another one. */
  left(executionId: number, how: "execution_completed" | "execution_waiting"): void {
    this.#runs.left(executionId, how);
    this.look();
  }

  /** An execution that waited continues. */
  resumed(executionId: number): void {
    this.#runs.resumed(executionId);
    this.look();
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
      this.#ports.log.write("error", "The queue of file changes failed", {
        agent: this.#agent.id,
        error,
      });
    });
  }

  async #run(): Promise<void> {
    try {
      for (let change; (change = await this.#next()) !== undefined;) {
        const { id, trigger: { maxRuns } } = this.#agent;
        const refusal = this.#ports.breaker.refusal(id, { ...change, maxRuns });
        if (refusal !== undefined) return this.trip(refusal, REMEDY);
        if (!await this.#start(change)) return;
      }
    } catch (error) {
      this.#ports.log.write("error", "Cannot start a run for a file change; it is tried again", {
        agent: this.#agent.id,
        error,
      });
      this.#retryLater();
    }
  }

  /** The change whose turn it is; undefined when none may run now. */
  async #next(): Promise<WatchChange | undefined> {
    const busy = this.#runs.busyPaths();
    if (this.#over.signal.aborted || this.#isHeld || this.#retry !== undefined) return undefined;
    if (this.#trippedReason !== null || busy.length >= MAX_RUNS) return undefined;
    const change = this.#queued.first((path) => !busy.includes(path));
    return change === undefined || await this.#ports.isPaused() ? undefined : change;
  }

  /** Whether to go on with the next one. */
  async #start({ path, event, origin }: WatchChange): Promise<boolean> {
    return await this.#runs.whileStarting(async () => {
      const fired = await this.#ports.start(this.#agent, { type: "watch", event, path });
      this.#failures = 0;
      switch (fired.outcome) {
        case "started":
          this.#queued.taken(path);
          this.#started(fired.executionId, { path, origin });
          return true;
        case "claimed":
          this.#queued.taken(path);
          return true;
        case "waiting":
        case "running":
          this.#isHeld = true;
          return false;
        case "stopping":
          this.#over.abort();
          return false;
      }
      return fired satisfies never;
    });
  }

  #started(executionId: number, { path, origin }: Pick<WatchChange, "path" | "origin">): void {
    const { breaker } = this.#ports;
    breaker.started(this.#agent.id, { executionId, path, origin });
    if (!this.#runs.add({ executionId, path, isRunning: true })) breaker.ended(executionId);
  }

  /** Stops, until it is reset, for a reason; `remedy` is a sentence that says what to do. */
  trip(reason: string, remedy: string): void {
    if (this.#trippedReason !== null) return;
    const { log, onTripped } = this.#ports;
    this.#trippedReason = reason;
    log.write(
      "warn",
      `The watch of agent "${this.#agent.id}" is stopped: ${reason}. ${remedy}`,
      { agent: this.#agent.id, waiting: this.#queued.size },
    );
    onTripped(this.#agent.id, reason);
  }

  #retryLater(): void {
    this.#failures++;
    this.#retry = this.#lookAfter(retryMs(this.#failures));
  }

  /** Looks again after some time, or once this queue ends. */
  async #lookAfter(ms: number): Promise<void> {
    await sleepUnlessAborted(this.#ports.clock, ms, this.#over.signal);
    this.#retry = undefined;
    this.look();
  }
}

/** The runs of one agent that have not ended. One may have ended before it is known to have started. */
class OpenRuns {
  readonly #runs = new Map<number, Omit<OpenRun, "executionId">>();
  /** What ended, or began to wait, before it was known to have started. */
  readonly #leftEarly = new Set<number>();
  #isStarting = false;

  /** Does something that may start runs or find started ones. Unknown runs that end meanwhile are remembered until then. */
  async whileStarting<T>(work: () => Promise<T>): Promise<T> {
    this.#isStarting = true;
    try {
      return await work();
    } finally {
      this.#isStarting = false;
      this.#leftEarly.clear();
    }
  }

  /** Counts a run from now on; false: it has ended already, or waits. */
  add({ executionId, path, isRunning }: OpenRun): boolean {
    if (this.#leftEarly.has(executionId)) return false;
    this.#runs.set(executionId, { path, isRunning });
    return true;
  }

  /** A run has ended, or waits for a person. It may be one of somebody else. */
  left(executionId: number, how: "execution_completed" | "execution_waiting"): void {
    const run = this.#runs.get(executionId);
    if (run === undefined && this.#isStarting) this.#leftEarly.add(executionId);
    if (run !== undefined) run.isRunning = false;
    if (how === "execution_completed") this.#runs.delete(executionId);
  }

  /** A run that waited continues. */
  resumed(executionId: number): void {
    const run = this.#runs.get(executionId);
    if (run !== undefined) run.isRunning = true;
  }

  /** The paths of those that run now, one for each; those that wait for a person take no room. */
  busyPaths(): string[] {
    return [...this.#runs.values()].filter(({ isRunning }) => isRunning).map(({ path }) => path);
  }
}
