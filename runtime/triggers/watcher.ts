// The watch triggers of all agents: follows their files, and turns changes that are quiet, and not the agent's own, into
// queued runs.
import type { Agent } from "../agents/agent.ts";
import type { Clock } from "../clock.ts";
import type { Directories } from "../config/directories.ts";
import type { EventBus, ServiceEvent } from "../events/bus.ts";
import type { ServiceLog } from "../service_log/service_log.ts";
import { AgentWatch } from "./agent_watch.ts";
import type { SettledPath } from "./change_folding.ts";
import type { StartRun } from "./fire.ts";
import { FolderWatches } from "./folder_watches.ts";
import { inGroups } from "./in_groups.ts";
import type { OwnWrites } from "./own_writes.ts";
import type { ReconcileOptions } from "./reconcile_options.ts";
import { SeenFiles } from "./seen_files.ts";
import { StoredWatches } from "./stored_watches.ts";
import { TriggerBreaker } from "./trigger_breaker.ts";
import { WatchHub } from "./watch_hub.ts";
import { WatchLane } from "./watch_lane.ts";
import type { WatchStore } from "./watch_store.ts";
import { isEdited, isWatching, type WatchingAgent, watchTheSame } from "./watching_agent.ts";

/** How many agents are taken in at a time. */
const AGENTS_AT_ONCE = 20;
const RETRY_MS = 10_000;

/** What watching needs. */
export interface WatcherPorts {
  store: WatchStore;
  start: StartRun;
  isPaused: () => Promise<boolean>;
  clock: Clock;
  log: ServiceLog;
  events: EventBus;
  ownWrites: OwnWrites;
  directories: Pick<Directories, "workspace" | "agentsDir" | "configDir" | "stateDir">;
  home: string;
  /** Shared by all who watch folders in this process: see FolderWatches. */
  folders: FolderWatches;
  /** An agent's trigger was stopped because it ran away. */
  onTripped: (agentId: string, reason: string) => void;
}

/** An agent that watches. */
interface Watching {
  agent: WatchingAgent;
  watch: AgentWatch;
  lane: WatchLane;
  /** What has settled is taken in one after the other. */
  accepting: Promise<void>;
}

/** All watch triggers. */
export class Watcher implements AsyncDisposable {
  readonly #ports: WatcherPorts;
  readonly #hub: WatchHub;
  readonly #breaker: TriggerBreaker;
  readonly #seen: SeenFiles;
  readonly #watching = new Map<string, Watching>();
  readonly #unsubscribe: () => void;
  readonly #stored: StoredWatches;
  readonly #over = new AbortController();
  /** What could not be taken in is tried again. */
  #retry: Promise<void> | undefined;
  /** The agents as they should be followed. */
  #wanted: ReconcileOptions & { agents: readonly Agent[] } = {
    agents: [],
    isUnreadable: () => true,
  };
  #following: Promise<unknown> = Promise.resolve();
  #isFiring = false;

  constructor(ports: WatcherPorts) {
    this.#ports = ports;
    const { clock, log, directories, folders, events, store } = ports;
    this.#breaker = new TriggerBreaker(clock);
    this.#seen = new SeenFiles(store);
    this.#stored = new StoredWatches(store);
    this.#hub = new WatchHub({
      watches: folders,
      clock,
      log,
      closed: [directories.agentsDir, directories.configDir, directories.stateDir],
    });
    this.#unsubscribe = events.subscribe((event) => this.#hear(event));
  }

  /** Whether any watched path is there to be watched. */
  get active(): boolean {
    return this.#hub.isWatching;
  }

  /** Why an agent's trigger was stopped because it ran away; null when it was not. */
  trippedReason(agentId: string): string | null {
    return this.#watching.get(agentId)?.lane.trippedReason ?? null;
  }

  /** Begins to run for what waits. */
  start(): void {
    this.#isFiring = true;
    this.look();
  }

  /** Runs for what waits: whatever held it back may be over. */
  look(): void {
    for (const { lane } of this.#watching.values()) lane.look();
  }

  /** Lets stopped triggers fire again, of one agent or of all. Returns whose were stopped. */
  reset(agentId?: string): string[] {
    const stopped = [...this.#watching].filter(([id, { lane }]) =>
      (agentId === undefined || id === agentId) && lane.trippedReason !== null
    );
    // Only these are counted anew: asking again and again must not keep a loop going.
    for (const [id, { lane }] of stopped) {
      this.#breaker.reset(id);
      lane.reset();
    }
    return stopped.map(([id]) => id);
  }

  /**
   * Follows the agents as they are now; resolves when changes of all they watch are noticed. Where only the body of an
   * agent differs, its watch goes on untouched. What fails is logged, and tried again. Returns the agents whose stopped
   * trigger was edited, and fires again.
   */
  reconcile(agents: readonly Agent[], options: ReconcileOptions): Promise<string[]> {
    this.#wanted = { ...options, agents };
    return this.#follow();
  }

  /** Stores what is not quiet yet, and ends all watching. Runs that were started go on. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isFiring = false;
    this.#unsubscribe();
    this.#over.abort();
    this.#hub.abandonOpening();
    await this.#retry;
    await this.#following;
    const all = [...this.#watching.values()];
    await Promise.all(all.map(async (one) => {
      one.lane.stop();
      await one.watch.flush();
      await one.watch[Symbol.asyncDispose]();
      await one.accepting;
      await one.lane[Symbol.asyncDispose]();
    }));
    await this.#hub[Symbol.asyncDispose]();
  }

  #follow(): Promise<string[]> {
    const following = this.#following.then(() => this.#followNow());
    this.#following = following;
    return following;
  }

  async #followNow(): Promise<string[]> {
    if (this.#over.signal.aborted) return [];
    const { agents, isUnreadable } = this.#wanted;
    const wanted = new Map(agents.filter(isWatching).map((agent) => [agent.id, agent]));
    const listed = new Set(agents.map(({ id }) => id));
    const isGone = (id: string) => !wanted.has(id) && (listed.has(id) || !isUnreadable(id));
    const gone = [...this.#watching.keys()].filter(isGone);
    const size = AGENTS_AT_ONCE;
    await inGroups(gone, { size, work: (id) => this.#attempt(this.#end(id), id) });
    await this.#attempt(this.#stored.forget(isGone));
    const restarted: string[] = [];
    const follow = async (agent: WatchingAgent) => {
      if (this.#over.signal.aborted) return;
      const watching = this.#watching.get(agent.id);
      if (watching === undefined) await this.#begin(agent);
      else if (await this.#update(watching, agent)) restarted.push(agent.id);
    };
    const work = (agent: WatchingAgent) => this.#attempt(follow(agent), agent.id);
    await inGroups([...wanted.values()], { size, work });
    return restarted;
  }

  /** One agent's trouble is not the others'; what has failed is tried again. */
  async #attempt(work: Promise<void>, agent?: string): Promise<void> {
    const { clock, log } = this.#ports;
    try {
      await work;
    } catch (error) {
      log.write("error", "Cannot follow what is watched; tried again soon", { agent, error });
      this.#retry ??= clock.sleep(RETRY_MS, this.#over.signal).then(async () => {
        this.#retry = undefined;
        await this.#follow();
      }, () => {/* It ends. */});
    }
  }

  async #begin(agent: WatchingAgent): Promise<void> {
    const { store, start, clock, log, onTripped } = this.#ports;
    const waiting = await this.#stored.changesOf(agent.id);
    const watch = await this.#open(agent);
    const lane = new WatchLane(agent, waiting, {
      store,
      start,
      isPaused: async () => !this.#isFiring || await this.#ports.isPaused(),
      clock,
      log,
      breaker: this.#breaker,
      onTripped,
    });
    await this.#stored.meet(agent.id);
    this.#watching.set(agent.id, { agent, watch, lane, accepting: Promise.resolve() });
    await lane.takeUp();
    await lane.keepOnly((path) => watch.concerns(path));
    watch.listen();
    lane.look();
  }

  /** Whether a stopped trigger fires again, because its agent was edited. */
  async #update(watching: Watching, agent: WatchingAgent): Promise<boolean> {
    const { agent: before, watch: former, lane } = watching;
    // Agents are immutable: the same object is the same watch.
    if (before === agent) return false;
    const isOther = !watchTheSame(before, agent);
    const watch = isOther ? await this.#open(agent) : former;
    Object.assign(watching, { agent, watch });
    lane.agent = agent;
    if (isOther) {
      watch.adopt(former);
      await former[Symbol.asyncDispose]();
      await lane.keepOnly((path) => watch.concerns(path));
    }
    // What held its changes back may have been edited away.
    lane.look();
    return isEdited(before, agent) && this.reset(agent.id).length > 0;
  }

  async #open(agent: WatchingAgent): Promise<AgentWatch> {
    const { clock, directories, home } = this.#ports;
    const seen = await this.#seen.recall(agent.id, agent.trigger);
    const watch = await AgentWatch.open(agent.trigger, seen, {
      hub: this.#hub,
      clock,
      base: { directories, home },
      currentChain: () => this.#breaker.currentChain(),
      onSettled: (paths) => this.#settled(agent.id, paths),
    });
    try {
      if (seen === undefined) await this.#seen.begin(agent.id, agent.trigger, watch.files());
    } catch (error) {
      await watch[Symbol.asyncDispose]();
      throw error;
    }
    return watch;
  }

  async #end(agentId: string): Promise<void> {
    const watching = this.#watching.get(agentId);
    if (watching === undefined) return;
    this.#watching.delete(agentId);
    watching.lane.stop();
    await watching.watch[Symbol.asyncDispose]();
    await watching.accepting;
    await watching.lane.keepOnly(() => false);
    await watching.lane[Symbol.asyncDispose]();
    this.#breaker.reset(agentId);
    await this.#ports.store.forgetWatches([agentId]);
  }

  #settled(agentId: string, paths: readonly SettledPath[]): void {
    const watching = this.#watching.get(agentId);
    if (watching === undefined) return;
    watching.accepting = watching.accepting.then(() => this.#accept(watching, paths))
      .catch((error) =>
        this.#ports.log.write("error", "File changes were lost", { agent: agentId, error })
      );
  }

  async #accept(
    { agent, lane }: Watching,
    paths: readonly SettledPath[],
  ): Promise<void> {
    // Where that cannot be told, nothing is lost: it is asked again before a run starts.
    const isPaused = this.#ports.isPaused().catch(() => false);
    const isStopped = lane.trippedReason !== null || await isPaused;
    const changes = [];
    for (const { path, event, chain } of isStopped ? [] : paths) {
      if (event === undefined || await this.#ports.ownWrites.isOwn(agent.id, path)) continue;
      changes.push({ path, event, chain });
    }
    await lane.put(changes, this.#seen.marksOf(agent.trigger, paths));
  }

  #hear(event: ServiceEvent): void {
    if (!("executionId" in event)) return;
    const { type, executionId, agentId } = event;
    const lane = this.#watching.get(agentId)?.lane;
    if (type === "execution_completed" || type === "execution_waiting") {
      // Also of agents that watch no more: their runs end like any other.
      this.#breaker.ended(executionId);
      lane?.left(executionId, type);
    }
    if (type === "execution_resumed") lane?.resumed(executionId);
  }
}
