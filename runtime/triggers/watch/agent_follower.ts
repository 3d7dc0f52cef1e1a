// Follows the files of one watch agent: what has settled, and is not the agent's own doing, goes into its queue.
import type { Agent, WatchTrigger } from "../../agents/agent.ts";
import type { PathBase } from "../../agents/agent_paths.ts";
import type { Clock } from "../../../base/clock.ts";
import { SerialQueue } from "../../../base/serial_queue.ts";
import type { WatchedPlaces } from "../../folders/watched_places.ts";
import type { ServiceLog } from "../../service_log/service_log.ts";
import { isDeepStrictEqual } from "node:util";
import { AgentWatch, type AgentWatchPorts, type WatchingAgent } from "./agent_watch.ts";
import type { SettledPath } from "./change_folding.ts";
import type { StartRun } from "../fire.ts";
import type { OwnWrites } from "./own_writes.ts";
import type { SeenFiles } from "./seen_files.ts";
import type { TriggerBreaker } from "./trigger_breaker.ts";
import { RunQueue } from "./run_queue.ts";
import type { QueuedChange, WatchStore } from "./watch_store.ts";

/** What all followers share. */
export interface AgentFollowerPorts {
  store: WatchStore;
  start: StartRun;
  /** Whether triggers are paused: what changes meanwhile never runs. */
  isPaused: () => Promise<boolean>;
  /** Whether runs may begin; what waits keeps its place. */
  mayRun: () => boolean;
  clock: Clock;
  log: ServiceLog;
  places: WatchedPlaces;
  base: PathBase;
  breaker: TriggerBreaker;
  seen: SeenFiles;
  ownWrites: OwnWrites;
  /** The agent's trigger was stopped because it ran away. */
  onTripped: (agentId: string, reason: string) => void;
}

/** One agent that watches. Its changes must not overlap. */
export class AgentFollower implements AsyncDisposable {
  readonly #ports: AgentFollowerPorts;
  readonly #queue: RunQueue;
  #agent: WatchingAgent;
  #watch: AgentWatch;
  /** What has settled is taken in one after the other. */
  readonly #accepting = new SerialQueue();

  private constructor(agent: WatchingAgent, watch: AgentWatch, own: {
    waiting: readonly QueuedChange[];
    ports: AgentFollowerPorts;
  }) {
    const { store, start, isPaused, mayRun, clock, log, breaker, onTripped } = own.ports;
    this.#ports = own.ports;
    this.#agent = agent;
    this.#watch = watch;
    this.#queue = new RunQueue(agent, own.waiting, {
      store,
      start,
      isPaused: async () => !mayRun() || await isPaused(),
      clock,
      log,
      breaker,
      onTripped,
    });
  }

  /** Takes in all that an agent watches. `waiting` are its stored changes, oldest first. */
  static async open(agent: WatchingAgent, own: {
    waiting: readonly QueuedChange[];
    ports: AgentFollowerPorts;
  }): Promise<AgentFollower> {
    // Nothing settles before begin().
    const watch = await openWatch(agent, own.ports, {
      onSettled: (paths) => follower.#settled(paths),
      onRefused: (reason) => follower.#refused(reason),
    });
    const follower = new AgentFollower(agent, watch, own);
    return follower;
  }

  /** Begins to listen, and to run. */
  async begin(): Promise<void> {
    await this.#queue.takeUp();
    await this.#queue.keepOnly((path) => this.#watch.concerns(path));
    this.#watch.listen();
    this.#queue.look();
  }

  /**
   * Follows the agent as its file says now; where it watches the same, its watch continues untouched. Returns whether a
   * stopped trigger fires again, because the agent was edited.
   */
  async update(agent: WatchingAgent): Promise<boolean> {
    const [before, former] = [this.#agent, this.#watch];
    // Agents are immutable: the same object is the same watch.
    if (before === agent) return false;
    const isOther = !isDeepStrictEqual(watchedBy(before), watchedBy(agent));
    // What it has told must be stored before it is asked what is remembered.
    if (isOther) await this.#accepting.settled();
    const watch = isOther
      ? await openWatch(agent, this.#ports, {
        onSettled: (paths) => this.#settled(paths),
        onRefused: (reason) => this.#refused(reason),
      })
      : former;
    this.#agent = agent;
    this.#watch = watch;
    this.#queue.update(agent);
    if (isOther) {
      watch.adopt(former);
      await former[Symbol.asyncDispose]();
      await this.#queue.keepOnly((path) => watch.concerns(path));
    }
    // What held its changes back may have been edited away.
    this.#queue.look();
    return isEdited(before, agent) && this.reset();
  }

  /** Why the agent's trigger was stopped because it ran away, or watches too much; null when it was not. */
  get trippedReason(): string | null {
    return this.#queue.trippedReason;
  }

  /** Lets a stopped trigger fire again; whether it was stopped. */
  reset(): boolean {
    // Where there is too much to watch, only other paths help.
    if (this.trippedReason === null || this.#watch.refusal !== undefined) return false;
    // Only now it is counted anew: asking again and again must not keep a loop going.
    this.#ports.breaker.reset(this.#agent.id);
    this.#queue.reset();
    return true;
  }

  /** Runs for what waits: whatever held it back may be over. */
  look(): void {
    this.#queue.look();
  }

  /** An execution of the agent has ended, or waits for a person. */
  left(executionId: number, how: "execution_completed" | "execution_waiting"): void {
    this.#queue.left(executionId, how);
  }

  /** An execution of the agent that waited continues. */
  resumed(executionId: number): void {
    this.#queue.resumed(executionId);
  }

  /** Ends, and forgets all about the agent: it watches no more. */
  async forget(): Promise<void> {
    this.#queue.stop();
    await this.#watch[Symbol.asyncDispose]();
    await this.#accepting.settled();
    await this.#queue.keepOnly(() => false);
    await this.#queue[Symbol.asyncDispose]();
    this.#ports.breaker.reset(this.#agent.id);
    await this.#ports.store.forgetWatches([this.#agent.id]);
  }

  /** Ends, and stores what is not quiet yet. Runs that were started continue. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#queue.stop();
    await this.#watch.flush(this.#ports.ownWrites.latest());
    await this.#watch[Symbol.asyncDispose]();
    await this.#accepting.settled();
    await this.#queue[Symbol.asyncDispose]();
  }

  #refused(reason: string): void {
    this.#queue.trip(
      reason,
      "Edit the agent's file; if the folder has become smaller, restart the service.",
    );
  }

  #settled(paths: readonly SettledPath[]): void {
    void this.#accepting.run(() => this.#accept(paths)).catch((error) =>
      this.#ports.log.write("error", "File changes were lost", { agent: this.#agent.id, error })
    );
  }

  async #accept(paths: readonly SettledPath[]): Promise<void> {
    const { isPaused, ownWrites, seen } = this.#ports;
    const agent = this.#agent;
    // Where that cannot be told, nothing is lost: it is asked again before a run starts.
    const isStopped = this.trippedReason !== null || await isPaused().catch(() => false);
    const changes = [];
    for (const { path, event, origin } of isStopped ? [] : paths) {
      if (event === undefined || await ownWrites.isOwn(agent.id, path)) continue;
      const writer = await ownWrites.writerOf(path);
      const known = writer === undefined ? origin : { previous: writer, continues: true };
      changes.push({ path, event, origin: known });
    }
    await this.#queue.put(changes, seen.marksOf(agent.trigger, paths));
  }
}

/** The watch of an agent, which catches up where it is to. */
async function openWatch(
  agent: WatchingAgent,
  { seen, places, clock, base, breaker }: AgentFollowerPorts,
  told: Pick<AgentWatchPorts, "onSettled" | "onRefused">,
): Promise<AgentWatch> {
  const remembered = await seen.recall(agent.id, agent.trigger);
  const watch = await AgentWatch.open(agent.trigger, remembered, {
    places,
    clock,
    base,
    noticed: (path) => breaker.noticed(path),
    ...told,
  });
  try {
    if (remembered === undefined) await seen.begin(agent.id, agent.trigger, watch.files());
  } catch (error) {
    await watch[Symbol.asyncDispose]();
    throw error;
  }
  return watch;
}

/** What of an agent its watch is made of. */
function watchedBy({ trigger }: WatchingAgent): Omit<WatchTrigger, "type" | "input" | "maxRuns"> {
  const { paths, filters, debounceMs, catchUp } = trigger;
  return { paths, filters, debounceMs, catchUp };
}

/** Whether somebody edited the agent between the two: warnings come and go by themselves. */
function isEdited(before: Agent, now: Agent): boolean {
  return !isDeepStrictEqual({ ...before, warnings: [] }, { ...now, warnings: [] });
}
