// The watch triggers of all agents: each agent is followed as its file says, for as long as it watches something.
import { basename } from "node:path";
import type { Agent } from "../../agents/agent.ts";
import { sleepUnlessAborted } from "../../../base/bounded_wait.ts";
import type { Clock } from "../../../base/clock.ts";
import type { Directories } from "../../config/directories.ts";
import type { EventBus, ServiceEvent } from "../../events/bus.ts";
import type { FolderWatches } from "../../folders/folder_watches.ts";
import { WatchedPlaces } from "../../folders/watched_places.ts";
import { inGroups } from "../../folders/in_groups.ts";
import type { ServiceLog } from "../../service_log/service_log.ts";
import { SerialQueue } from "../../../base/serial_queue.ts";
import {
  describeTooLarge,
  isIgnoredFolder,
  MOST_WATCHED_ENTRIES,
} from "../../agents/watch_path.ts";
import { AgentFollower, type AgentFollowerPorts } from "./agent_follower.ts";
import type { StartRun } from "../fire.ts";
import type { WatchingAgent } from "./agent_watch.ts";
import type { OwnWrites } from "./own_writes.ts";
import type { ReconcileOptions } from "../reconcile_options.ts";
import { SeenFiles } from "./seen_files.ts";
import { TriggerBreaker } from "./trigger_breaker.ts";
import type { QueuedChange, WatchStore } from "./watch_store.ts";

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
  /** How many files and folders there may be at a watched path; MOST_WATCHED_ENTRIES by default. */
  mostEntries?: number;
  /** An agent's trigger was stopped because it ran away, or watches too much. */
  onTripped: (agentId: string, reason: string) => void;
}

/** All watch triggers. */
export class Watcher implements AsyncDisposable {
  readonly #ports: WatcherPorts;
  readonly #places: WatchedPlaces;
  readonly #breaker: TriggerBreaker;
  readonly #followers = new Map<string, AgentFollower>();
  readonly #followerPorts: AgentFollowerPorts;
  readonly #unsubscribe: () => void;
  /** The changes that wait for agents that have not been followed since the start; undefined: not read yet. */
  #unmet: Map<string, QueuedChange[]> | undefined;
  readonly #over = new AbortController();
  /** What could not be taken in is tried again. */
  #retry: Promise<void> | undefined;
  /** The agents as they should be followed. */
  #wanted: ReconcileOptions & { agents: readonly Agent[] } = {
    agents: [],
    isUnreadable: () => true,
  };
  readonly #following = new SerialQueue();
  #isFiring = false;

  constructor(ports: WatcherPorts) {
    this.#ports = ports;
    const { clock, log, directories, folders, events, store } = ports;
    this.#breaker = new TriggerBreaker(clock);
    this.#places = new WatchedPlaces({
      watches: folders,
      clock,
      log,
      mostEntries: ports.mostEntries ?? MOST_WATCHED_ENTRIES,
      describeTooLarge,
      isIgnored: (path) => isIgnoredFolder(basename(path)),
      closed: [directories.agentsDir, directories.configDir, directories.stateDir],
    });
    this.#followerPorts = {
      store,
      start: ports.start,
      isPaused: ports.isPaused,
      mayRun: () => this.#isFiring,
      clock,
      log,
      places: this.#places,
      base: { directories, home: ports.home },
      breaker: this.#breaker,
      seen: new SeenFiles(store),
      ownWrites: ports.ownWrites,
      onTripped: ports.onTripped,
    };
    this.#unsubscribe = events.subscribe((event) => this.#hear(event));
  }

  /** Whether any watched path is there to be watched. */
  get active(): boolean {
    return this.#places.isWatching;
  }

  /** Why an agent's trigger was stopped because it ran away; null when it was not. */
  trippedReason(agentId: string): string | null {
    return this.#followers.get(agentId)?.trippedReason ?? null;
  }

  /** Begins to run for what waits. */
  start(): void {
    this.#isFiring = true;
    this.look();
  }

  /** Runs for what waits: whatever held it back may be over. */
  look(): void {
    for (const follower of this.#followers.values()) follower.look();
  }

  /** Lets all stopped triggers fire again. Returns the agents whose were stopped. */
  reset(): string[] {
    return [...this.#followers].flatMap(([id, follower]) => follower.reset() ? [id] : []);
  }

  /**
   * Follows the agents as they are now; resolves when changes of all they watch are noticed. Where only the body of an
   * agent differs, its watch continues untouched. What fails is logged, and tried again. Returns the agents whose stopped
   * trigger was edited, and fires again.
   */
  reconcile(agents: readonly Agent[], options: ReconcileOptions): Promise<string[]> {
    this.#wanted = { ...options, agents };
    return this.#follow();
  }

  /** Stores what is not quiet yet, and ends all watching. Runs that were started continue. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isFiring = false;
    this.#unsubscribe();
    this.#over.abort();
    this.#places.abandonOpening();
    await this.#retry;
    await this.#following.settled();
    await Promise.all(
      [...this.#followers.values()].map((follower) => follower[Symbol.asyncDispose]()),
    );
    await this.#places[Symbol.asyncDispose]();
  }

  #follow(): Promise<string[]> {
    return this.#following.run(() => this.#followNow());
  }

  async #followNow(): Promise<string[]> {
    if (this.#over.signal.aborted) return [];
    const { agents, isUnreadable } = this.#wanted;
    const wanted = new Map(agents.filter(isWatching).map((agent) => [agent.id, agent]));
    const listed = new Set(agents.map(({ id }) => id));
    const isGone = (id: string) => !wanted.has(id) && (listed.has(id) || !isUnreadable(id));
    const gone = [...this.#followers.keys()].filter(isGone);
    const size = AGENTS_AT_ONCE;
    await inGroups(gone, { size, work: (id) => this.#attempt(this.#end(id), id) });
    await this.#attempt(this.#forgetUnmet(isGone));
    const restarted: string[] = [];
    const follow = async (agent: WatchingAgent) => {
      if (this.#over.signal.aborted) return;
      const follower = this.#followers.get(agent.id);
      if (follower === undefined) await this.#begin(agent);
      else if (await follower.update(agent)) restarted.push(agent.id);
    };
    const work = (agent: WatchingAgent) => this.#attempt(follow(agent), agent.id);
    await inGroups([...wanted.values()], { size, work });
    return restarted;
  }

  /** One agent's trouble is not the others'; what has failed is tried again. */
  async #attempt(work: Promise<void>, agent?: string): Promise<void> {
    try {
      await work;
    } catch (error) {
      // The service stops: nobody needs what was only looked at in part.
      if (this.#over.signal.aborted) return;
      const message = "Cannot follow what is watched; tried again soon";
      this.#ports.log.write("error", message, { agent, error });
      this.#retry ??= this.#followLater();
    }
  }

  async #followLater(): Promise<void> {
    const { clock, log } = this.#ports;
    const isTime = await sleepUnlessAborted(clock, RETRY_MS, this.#over.signal);
    this.#retry = undefined;
    if (!isTime) return;
    try {
      await this.#follow();
    } catch (error) {
      // Nobody waits for this attempt; the next reload of the agents follows them again.
      log.write("error", "Cannot follow what is watched", { error });
    }
  }

  async #begin(agent: WatchingAgent): Promise<void> {
    const unmet = await this.#readUnmet();
    const waiting = unmet.get(agent.id) ?? [];
    const follower = await AgentFollower.open(agent, { waiting, ports: this.#followerPorts });
    unmet.delete(agent.id);
    this.#followers.set(agent.id, follower);
    await follower.begin();
  }

  /** What is stored of watches from before this start. */
  async #readUnmet(): Promise<Map<string, QueuedChange[]>> {
    if (this.#unmet !== undefined) return this.#unmet;
    const { store } = this.#ports;
    const unmet = new Map<string, QueuedChange[]>();
    for (const id of await store.listAgents()) unmet.set(id, []);
    for (const change of await store.readQueue()) unmet.get(change.agentId)?.push(change);
    return this.#unmet ??= unmet;
  }

  /** Forgets agents that went while the service was down. */
  async #forgetUnmet(isGone: (agentId: string) => boolean): Promise<void> {
    const unmet = await this.#readUnmet();
    const gone = [...unmet.keys()].filter(isGone);
    if (gone.length === 0) return;
    await this.#ports.store.forgetWatches(gone);
    for (const id of gone) unmet.delete(id);
  }

  async #end(agentId: string): Promise<void> {
    const follower = this.#followers.get(agentId);
    this.#followers.delete(agentId);
    await follower?.forget();
  }

  #hear(event: ServiceEvent): void {
    if (!("executionId" in event)) return;
    const { type, executionId, agentId } = event;
    const follower = this.#followers.get(agentId);
    if (type === "execution_completed" || type === "execution_waiting") {
      // Also of agents that watch no more: their runs end like any other.
      this.#breaker.ended(executionId);
      follower?.left(executionId, type);
    }
    if (type === "execution_resumed") {
      this.#breaker.resumed(executionId);
      follower?.resumed(executionId);
    }
  }
}

/** Whether changes of files may start the agent. */
function isWatching(agent: Agent): agent is WatchingAgent {
  return agent.enabled && agent.trigger.type === "watch";
}
