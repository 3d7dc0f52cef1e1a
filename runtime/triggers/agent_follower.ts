// Follows the files of one watch agent: what has settled, and is not the agent's own doing, goes into its queue.
import type { PathBase } from "../agents/agent_paths.ts";
import type { Clock } from "../clock.ts";
import { SerialQueue } from "../serial_queue.ts";
import type { ServiceLog } from "../service_log/service_log.ts";
import { AgentWatch, type AgentWatchPorts } from "./agent_watch.ts";
import type { SettledPath } from "./change_folding.ts";
import type { StartRun } from "./fire.ts";
import type { OwnWrites } from "./own_writes.ts";
import type { SeenFiles } from "./seen_files.ts";
import type { TriggerBreaker } from "./trigger_breaker.ts";
import type { WatchHub } from "./watch_hub.ts";
import { WatchLane } from "./watch_lane.ts";
import type { QueuedChange, WatchStore } from "./watch_store.ts";
import { isEdited, type WatchingAgent, watchTheSame } from "./watching_agent.ts";

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
  hub: WatchHub;
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
  readonly #lane: WatchLane;
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
    this.#lane = new WatchLane(agent, own.waiting, {
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
    await this.#lane.takeUp();
    await this.#lane.keepOnly((path) => this.#watch.concerns(path));
    this.#watch.listen();
    this.#lane.look();
  }

  /**
   * Follows the agent as its file says now; where it watches the same, its watch continues untouched. Returns whether a
   * stopped trigger fires again, because the agent was edited.
   */
  async update(agent: WatchingAgent): Promise<boolean> {
    const [before, former] = [this.#agent, this.#watch];
    // Agents are immutable: the same object is the same watch.
    if (before === agent) return false;
    const isOther = !watchTheSame(before, agent);
    const watch = isOther
      ? await openWatch(agent, this.#ports, {
        onSettled: (paths) => this.#settled(paths),
        onRefused: (reason) => this.#refused(reason),
      })
      : former;
    this.#agent = agent;
    this.#watch = watch;
    this.#lane.update(agent);
    if (isOther) {
      watch.adopt(former);
      await former[Symbol.asyncDispose]();
      await this.#lane.keepOnly((path) => watch.concerns(path));
    }
    // What held its changes back may have been edited away.
    this.#lane.look();
    return isEdited(before, agent) && this.reset();
  }

  /** Why the agent's trigger was stopped because it ran away, or watches too much; null when it was not. */
  get trippedReason(): string | null {
    return this.#lane.trippedReason;
  }

  /** Lets a stopped trigger fire again; whether it was stopped. */
  reset(): boolean {
    // Where there is too much to watch, only other paths help.
    if (this.trippedReason === null || this.#watch.refusal !== undefined) return false;
    // Only now it is counted anew: asking again and again must not keep a loop going.
    this.#ports.breaker.reset(this.#agent.id);
    this.#lane.reset();
    return true;
  }

  /** Runs for what waits: whatever held it back may be over. */
  look(): void {
    this.#lane.look();
  }

  /** An execution of the agent has ended, or waits for a person. */
  left(executionId: number, how: "execution_completed" | "execution_waiting"): void {
    this.#lane.left(executionId, how);
  }

  /** An execution of the agent that waited continues. */
  resumed(executionId: number): void {
    this.#lane.resumed(executionId);
  }

  /** Ends, and forgets all about the agent: it watches no more. */
  async forget(): Promise<void> {
    this.#lane.stop();
    await this.#watch[Symbol.asyncDispose]();
    await this.#accepting.settled();
    await this.#lane.keepOnly(() => false);
    await this.#lane[Symbol.asyncDispose]();
    this.#ports.breaker.reset(this.#agent.id);
    await this.#ports.store.forgetWatches([this.#agent.id]);
  }

  /** Ends, and stores what is not quiet yet. Runs that were started continue. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#lane.stop();
    await this.#watch.flush(this.#ports.ownWrites.latest());
    await this.#watch[Symbol.asyncDispose]();
    await this.#accepting.settled();
    await this.#lane[Symbol.asyncDispose]();
  }

  #refused(reason: string): void {
    this.#lane.trip(
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
    await this.#lane.put(changes, seen.marksOf(agent.trigger, paths));
  }
}

/** The watch of an agent, which catches up where it is to. */
async function openWatch(
  agent: WatchingAgent,
  { seen, hub, clock, base, breaker }: AgentFollowerPorts,
  heard: Pick<AgentWatchPorts, "onSettled" | "onRefused">,
): Promise<AgentWatch> {
  const remembered = await seen.recall(agent.id, agent.trigger);
  const watch = await AgentWatch.open(agent.trigger, remembered, {
    hub,
    clock,
    base,
    noticed: (path) => breaker.noticed(path),
    ...heard,
  });
  try {
    if (remembered === undefined) await seen.begin(agent.id, agent.trigger, watch.files());
  } catch (error) {
    await watch[Symbol.asyncDispose]();
    throw error;
  }
  return watch;
}
