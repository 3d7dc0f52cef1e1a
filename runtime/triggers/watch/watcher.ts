// Runs the watch triggers of all agents. Keeps one `AgentWatch` for each agent with a watch trigger.
import type { TriggerContext } from "../firing/trigger_context.ts";
import type { Agent } from "../../agents/agent.ts";
import { sleepUnlessAborted } from "../../../base/bounded_wait.ts";
import type { ServiceEvent } from "../../events/bus.ts";
import type { FolderWatches } from "../../folders/folder_watches.ts";
import { WatchedPlaces } from "../../folders/watched_places.ts";
import { inParallel } from "../../../base/in_parallel.ts";
import { SerialQueue } from "../../../base/serial_queue.ts";
import { MAX_WATCHED_ENTRIES } from "../../agents/watch_path.ts";
import { ContentDigests } from "../../folders/content_digests.ts";
import { AgentWatch } from "./agent_watch.ts";
import type { PassedOver } from "./same_content.ts";
import type { WatchingAgent, WatchPorts } from "./run_queue.ts";
import { isTriggeredBy, type ReconcileOptions } from "../firing/fire.ts";
import { TriggerBreaker } from "./trigger_breaker.ts";
import { watchLease } from "./watch_store.ts";

/** The number of agents to process in parallel. */
const AGENTS_AT_ONCE = 20;
const RETRY_MS = 10_000;

/** The collaborators of `Watcher`. */
export interface WatcherPorts
  extends
    Omit<WatchPorts, "breaker" | "places" | "digests" | "mostEntries">,
    Pick<TriggerContext, "events" | "inactiveReason" | "requestLeases" | "holdsLease"> {
  /** The file system watches. All parts of this process share them. */
  folders: FolderWatches;
  /** The maximum number of files and folders at a watched path; default MAX_WATCHED_ENTRIES. */
  mostEntries?: number;
}

/** Starts, updates and closes the watches of all agents. */
export class Watcher implements AsyncDisposable {
  /** The first scan of large folders may be slow. */
  readonly isSlow = true;
  readonly #ports: WatcherPorts & WatchPorts;
  readonly #watches = new Map<string, AgentWatch>();
  readonly #unsubscribe: () => void;
  readonly #over = new AbortController();
  /** Resolves after the next retry of failed work; undefined if no retry is planned. */
  #retry: Promise<void> | undefined;
  /** The arguments of the last `reconcile()`, used for retries. */
  #wanted: ReconcileOptions & { agents: readonly Agent[] } = {
    agents: [],
    isUnreadable: () => true,
  };
  readonly #following = new SerialQueue();
  #isFiring = false;

  constructor(ports: WatcherPorts) {
    const { clock, log, folders, mostEntries = MAX_WATCHED_ENTRIES } = ports;
    const { agentsDir, configDir, stateDir } = ports.settings.directories;
    const closed = [agentsDir, configDir, stateDir];
    const places = new WatchedPlaces({ watches: folders, clock, log, mostEntries, closed });
    const [breaker, digests] = [new TriggerBreaker(clock), new ContentDigests()];
    this.#ports = { ...ports, mostEntries, places, breaker, digests };
    this.#unsubscribe = ports.events.subscribe((event) => this.#hear(event));
  }

  /** True if at least one watched path exists. */
  get active(): boolean {
    return this.#ports.places.isWatching;
  }

  /** Returns the last change of an agent's files that started no run because the content is the same. */
  notes(agentId: string): { passedOver?: PassedOver } {
    const passedOver = this.#watches.get(agentId)?.passedOver;
    return passedOver ? { passedOver } : {};
  }

  /** Enables the start of runs and starts runs for the queued changes. */
  start(): void {
    this.#isFiring = true;
    this.#ports.digests.start();
    for (const watch of this.#watches.values()) watch.queue.start();
  }

  /** Drops the changes that still wait for quiet. Called while all triggers are paused. */
  async dropPending(): Promise<void> {
    await Promise.all([...this.#watches.values()].map((watch) => watch.settle()));
  }

  /** Tries to start runs for the queued changes. */
  wake(): void {
    for (const watch of this.#watches.values()) watch.queue.wake();
  }

  /**
   * Reads the open runs from the database, because messages from other machines may be lost. Then starts runs for the
   * queued changes.
   */
  resync(): void {
    for (const { queue } of this.#watches.values()) {
      void queue.loadOpenRuns();
      queue.wake();
    }
  }

  /**
   * Updates the watches from the present agents. Resolves when all watches are open. A change of the agent's text keeps its
   * watch. Failures are logged and retried.
   */
  reconcile(agents: readonly Agent[], options: ReconcileOptions): Promise<void> {
    this.#wanted = { ...options, agents };
    return this.#follow();
  }

  /** Checks which of the shared agents this machine watches for now, and opens or closes watches. */
  reloadShares(): void {
    void this.#follow().catch((error) => {
      this.#ports.log.write("error", "Cannot follow what is watched", { error });
    });
    this.wake();
  }

  /** Closes all watches and stores the changes that still wait for quiet. Runs that have started continue. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isFiring = false;
    this.#unsubscribe();
    this.#over.abort();
    const watches = () => [...this.#watches.values()];
    for (const watch of watches()) watch.queue.stop();
    this.#ports.places.cancelOpening();
    await this.#ports.digests.stop();
    await this.#retry;
    await this.#following.settled();
    await Promise.all(watches().map((watch) => watch[Symbol.asyncDispose]()));
    await this.#ports.places[Symbol.asyncDispose]();
  }

  #follow(): Promise<void> {
    return this.#following.run(() => this.#followNow());
  }

  async #followNow(): Promise<void> {
    if (this.#over.signal.aborted) return;
    const { agents, isUnreadable, isElsewhere = () => false } = this.#wanted;
    const watching = new Map(
      agents.filter((agent) => isTriggeredBy(agent, "watch")).map((agent) => [agent.id, agent]),
    );
    const listed = new Set(agents.map(({ id }) => id));
    // The store also has the agents that were removed while the service was down.
    const known = new Set([...this.#watches.keys(), ...await this.#ports.store.listAgents()]);
    const { requestLeases, holdsLease, inactiveReason } = this.#ports;
    const here = [...known, ...watching.keys()].filter((id) => !isElsewhere(id));
    await requestLeases("watches", here.map(watchLease));
    const isOurs = (id: string) =>
      !isElsewhere(id) && (holdsLease(watchLease(id)) ?? inactiveReason(id) === undefined);
    const size = AGENTS_AT_ONCE;
    const others = [...this.#watches.keys()].filter((id) => !isOurs(id));
    await inParallel(others, { size, work: (id) => this.#attempt(this.#leave(id), id) });
    const wanted = new Map([...watching].filter(([id]) => isOurs(id)));
    const gone = [...known].filter((id) =>
      isOurs(id) && !watching.has(id) && (listed.has(id) || !isUnreadable(id))
    );
    await inParallel(gone, { size, work: (id) => this.#attempt(this.#forget(id), id) });
    const work = (agent: WatchingAgent) => this.#attempt(this.#watch(agent), agent.id);
    await inParallel([...wanted.values()], { size, work });
  }

  /** Waits for work for one agent. After a failure, logs the error and plans a retry; other agents are not affected. */
  async #attempt(work: Promise<void>, agent: string): Promise<void> {
    try {
      await work;
    } catch (error) {
      // The watcher is closing: a failure to open a watch needs no retry.
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
      // No retry is needed: the next reload of the agents opens the watches.
      log.write("error", "Cannot follow what is watched", { error });
    }
  }

  async #watch(agent: WatchingAgent): Promise<void> {
    if (this.#over.signal.aborted) return;
    const known = this.#watches.get(agent.id);
    if (known !== undefined) return await known.update(agent);
    const watch = await AgentWatch.open(agent, this.#ports);
    this.#watches.set(agent.id, watch);
    await watch.start();
    if (this.#isFiring) watch.queue.start();
  }

  async #leave(agentId: string): Promise<void> {
    const watch = this.#watches.get(agentId);
    this.#watches.delete(agentId);
    await watch?.stop();
  }

  async #forget(agentId: string): Promise<void> {
    const watch = this.#watches.get(agentId);
    this.#watches.delete(agentId);
    if (watch === undefined) await this.#ports.store.forgetWatches([agentId]);
    else await watch.forget();
  }

  #hear(event: ServiceEvent): void {
    if (event.type === "trigger_changed" && event.status === "running") {
      this.#watches.get(event.agentId)?.reset();
    }
    if (!("executionId" in event)) return;
    const { type, executionId, agentId } = event;
    if (type === "execution_started") return;
    const queue = this.#watches.get(agentId)?.queue;
    if (queue !== undefined) queue.handleEvent(executionId, type);
    // Agents that no longer watch have no queue, but their runs continue and may end here.
    else if (type === "execution_resumed") this.#ports.breaker.resumed(executionId);
    else this.#ports.breaker.ended(executionId);
  }
}
