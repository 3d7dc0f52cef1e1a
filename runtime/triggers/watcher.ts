// The watch triggers of all agents: follows their files, and turns changes that are quiet, and not the agent's own, into
// queued runs.
import { isDeepStrictEqual } from "node:util";
import type { Agent, WatchTrigger } from "../agents/agent.ts";
import type { Clock } from "../clock.ts";
import type { Directories } from "../config/directories.ts";
import type { EventBus, ServiceEvent } from "../events/bus.ts";
import type { ServiceLog } from "../service_log.ts";
import { AgentWatch } from "./agent_watch.ts";
import type { SettledPath } from "./change_folding.ts";
import type { StartRun } from "./fire.ts";
import { FolderWatches } from "./folder_watches.ts";
import type { OwnWrites } from "./own_writes.ts";
import { SeenFiles } from "./seen_files.ts";
import { TriggerBreaker } from "./trigger_breaker.ts";
import { WatchHub } from "./watch_hub.ts";
import { WatchLane } from "./watch_lane.ts";
import type { QueuedChange, WatchStore } from "./watch_store.ts";

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

type WatchingAgent = Agent & { trigger: WatchTrigger };

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
  /** What waited when the service stopped, of agents that have not been met yet. */
  #stored: Promise<QueuedChange[]> | undefined;
  #reconciling: Promise<unknown> = Promise.resolve();
  #isFiring = false;

  constructor(ports: WatcherPorts) {
    this.#ports = ports;
    const { clock, log, directories, folders, events } = ports;
    this.#breaker = new TriggerBreaker(clock);
    this.#seen = new SeenFiles(ports.store);
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

  /** Runs for what waits, of one agent or of all: whatever held it back may be over. */
  look(agentId?: string): void {
    for (const [id, { lane }] of this.#watching) {
      if (agentId === undefined || id === agentId) lane.look();
    }
  }

  /** Lets stopped triggers fire again, of one agent or of all. Returns whose were stopped. */
  reset(agentId?: string): string[] {
    const stopped = [...this.#watching].filter(([id, { lane }]) =>
      (agentId === undefined || id === agentId) && lane.trippedReason !== null
    );
    this.#breaker.reset(agentId);
    for (const [, { lane }] of stopped) lane.reset();
    return stopped.map(([id]) => id);
  }

  /**
   * Follows the agents as they are now; resolves when changes of all they watch are noticed. Where only the body of an
   * agent differs, its watch goes on untouched. `isComplete: false` says that agents may be missing because their files
   * could not be read. Returns the agents whose stopped trigger was edited, and fires again.
   */
  reconcile(agents: readonly Agent[], options: { isComplete: boolean }): Promise<string[]> {
    const reconciling = this.#reconciling.then(() => this.#reconcile(agents, options));
    // A failure belongs to who asked for this one; the next starts anew.
    this.#reconciling = reconciling.catch(() => undefined);
    return reconciling;
  }

  /** Stores what is not quiet yet, and ends all watching. Runs that were started go on. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isFiring = false;
    this.#unsubscribe();
    this.#hub.abandonOpening();
    await this.#reconciling;
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

  async #reconcile(
    agents: readonly Agent[],
    { isComplete }: { isComplete: boolean },
  ): Promise<string[]> {
    const wanted = new Map(agents.filter(isWatching).map((agent) => [agent.id, agent]));
    const known = new Set(agents.map(({ id }) => id));
    const gone = [...this.#watching.keys()].filter((id) =>
      !wanted.has(id) && (isComplete || known.has(id))
    );
    for (const id of gone) await this.#end(id);
    await this.#forgetStored((id) => !wanted.has(id) && (isComplete || known.has(id)));
    const restarted: string[] = [];
    for (const agent of wanted.values()) {
      try {
        const before = this.#watching.get(agent.id);
        if (before === undefined) await this.#begin(agent);
        else if (await this.#update(before, agent)) restarted.push(agent.id);
      } catch (error) {
        // One agent's trouble is not the others'.
        this.#ports.log.write("error", "Cannot watch for an agent", { agent: agent.id, error });
      }
    }
    return restarted;
  }

  async #begin(agent: WatchingAgent): Promise<void> {
    const { store, start, clock, log, onTripped } = this.#ports;
    const stored = await (this.#stored ??= store.readQueue());
    const lane = new WatchLane(agent, stored.filter(({ agentId }) => agentId === agent.id), {
      store,
      start,
      isPaused: async () => !this.#isFiring || await this.#ports.isPaused(),
      clock,
      log,
      breaker: this.#breaker,
      onTripped,
    });
    this.#stored = Promise.resolve(stored.filter(({ agentId }) => agentId !== agent.id));
    const watch = await this.#open(agent);
    this.#watching.set(agent.id, { agent, watch, lane, accepting: Promise.resolve() });
    await this.#keepOnly(agent.id, lane, (path) => watch.concerns(path));
    watch.listen();
    lane.look();
  }

  /** Whether a stopped trigger fires again, because its agent was edited. */
  async #update(watching: Watching, agent: WatchingAgent): Promise<boolean> {
    const before = watching.agent;
    watching.agent = agent;
    watching.lane.agent = agent;
    if (!isDeepStrictEqual(watchedBy(before), watchedBy(agent))) {
      const former = watching.watch;
      const watch = await this.#open(agent);
      watching.watch = watch;
      watch.adopt(former);
      await former[Symbol.asyncDispose]();
      await this.#keepOnly(agent.id, watching.lane, (path) => watch.concerns(path));
    }
    const isEdited = !isDeepStrictEqual({ ...before, warnings: [] }, { ...agent, warnings: [] });
    return isEdited && this.reset(agent.id).length > 0;
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
    if (seen === undefined) await this.#seen.begin(agent.id, agent.trigger, watch.files());
    return watch;
  }

  /** Changes that wait, but are not the agent's business any more, will never run. */
  async #keepOnly(
    agentId: string,
    lane: WatchLane,
    isKept: (path: string) => boolean,
  ): Promise<void> {
    const changes = await lane.keepOnly(isKept);
    if (changes === 0) return;
    const message = "File changes that waited are dropped: nobody watches for them any more";
    this.#ports.log.write("info", message, { agent: agentId, changes });
  }

  async #end(agentId: string): Promise<void> {
    const watching = this.#watching.get(agentId);
    if (watching === undefined) return;
    this.#watching.delete(agentId);
    watching.lane.stop();
    await watching.watch[Symbol.asyncDispose]();
    await watching.accepting;
    await this.#keepOnly(agentId, watching.lane, () => false);
    await watching.lane[Symbol.asyncDispose]();
    this.#breaker.reset(agentId);
    await this.#ports.store.forgetWatches([agentId]);
  }

  /** What waited for agents that went while the service was down. */
  async #forgetStored(isGone: (agentId: string) => boolean): Promise<void> {
    const stored = await (this.#stored ??= this.#ports.store.readQueue());
    const gone = new Set(stored.map(({ agentId }) => agentId).filter(isGone));
    if (gone.size === 0) return;
    await this.#ports.store.forgetWatches([...gone]);
    this.#stored = Promise.resolve(stored.filter(({ agentId }) => !gone.has(agentId)));
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
    const isStopped = lane.trippedReason !== null || await this.#ports.isPaused();
    const changes = [];
    for (const { path, event, chain } of isStopped ? [] : paths) {
      if (event === undefined || await this.#ports.ownWrites.isOwn(agent.id, path)) continue;
      changes.push({ path, event, chain });
    }
    await lane.put(changes, this.#seen.marksOf(agent.trigger, paths));
  }

  #hear(event: ServiceEvent): void {
    if (!("agentId" in event)) return;
    const lane = this.#watching.get(event.agentId)?.lane;
    if (event.type === "execution_completed") lane?.left(event.executionId, "ended");
    if (event.type === "execution_waiting") lane?.left(event.executionId, "waiting");
    if (event.type === "execution_resumed") lane?.resumed(event.executionId);
  }
}

function isWatching(agent: Agent): agent is WatchingAgent {
  return agent.enabled && agent.trigger.type === "watch";
}

/** What of a trigger its watch is made of. */
function watchedBy({ trigger }: WatchingAgent): Omit<WatchTrigger, "type" | "input"> {
  const { paths, filters, debounceMs, catchUp } = trigger;
  return { paths, filters, debounceMs, catchUp };
}
