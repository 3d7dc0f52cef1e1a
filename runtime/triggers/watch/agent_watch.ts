// Watches one agent's paths and queues a run for each change by others. A change waits until its path is quiet, or, if the
// watched path vanished with it, until that is back.
import { isDeepStrictEqual } from "node:util";
import type { WatchTrigger } from "../../agents/agent.ts";
import type { PathBase } from "../../agents/agent_paths.ts";
import { describeTooLarge } from "../../agents/watch_path.ts";
import { sleepUnlessAborted } from "../../../base/bounded_wait.ts";
import { isBelow } from "../../../base/files/path_below.ts";
import { SerialQueue } from "../../../base/serial_queue.ts";
import { type Stamp, type Transition, UNREAD } from "../../folders/folder_snapshot.ts";
import type { PlaceListener, WatchedPlace } from "../../folders/watched_place.ts";
import type { WatchedPlaces } from "../../folders/watched_places.ts";
import { ChangeFolding } from "./change_folding.ts";
import { type PassedOver, SameContent, type SameContentPorts } from "./same_content.ts";
import type { OwnWrites } from "./own_writes.ts";
import { RunQueue, type RunQueuePorts, type WatchChange, type WatchingAgent } from "./run_queue.ts";
import type { QueuedChange } from "./watch_store.ts";
import { WatchedPaths } from "./watched_paths.ts";

/** The path whose stamp stores the watch settings. An agent with other settings starts from a new snapshot. */
const FINGERPRINT_PATH = "";

/** The collaborators shared by all watches. */
export interface AgentWatchPorts extends RunQueuePorts, SameContentPorts {
  places: WatchedPlaces;
  /** The most files and folders at a watched path. */
  mostEntries: number;
  base: PathBase;
  ownWrites: OwnWrites;
}

/** The watched paths, and the last snapshot that the agent has seen; undefined: it starts with the present files. */
interface StartState {
  paths: WatchedPaths;
  remembered: Map<string, Stamp | null> | undefined;
}

/** The watch of one agent. Its updates must not overlap. */
export class AgentWatch implements AsyncDisposable, PlaceListener {
  readonly #ports: AgentWatchPorts;
  /** The changes to run for. */
  readonly queue: RunQueue;
  readonly #folding = new ChangeFolding();
  readonly #settling = new SerialQueue();
  #agent: WatchingAgent;
  #paths: WatchedPaths;
  /** The last snapshot that the agent has seen, until all places are compared with it. */
  #remembered: Map<string, Stamp | null> | undefined;
  readonly #compared = new WeakSet<WatchedPlace>();
  readonly #content: SameContent;
  /** Aborted while no change may settle. */
  #rest = new AbortController();
  #timing: Promise<void> | undefined;

  private constructor(
    agent: WatchingAgent,
    own: StartState & { waiting: readonly QueuedChange[]; ports: AgentWatchPorts },
  ) {
    this.#agent = agent;
    this.#ports = own.ports;
    this.#paths = own.paths;
    this.#remembered = own.remembered;
    this.#content = new SameContent(own.ports);
    this.queue = new RunQueue(agent, own.waiting, own.ports);
  }

  /** Starts watching the agent's paths. */
  static async open(agent: WatchingAgent, ports: AgentWatchPorts): Promise<AgentWatch> {
    const waiting = await ports.store.readQueue(agent.id);
    return new AgentWatch(agent, { ...await openPaths(agent, ports), waiting, ports });
  }

  /** The last change that did not fire because the content is the same. */
  get passedOver(): PassedOver | null {
    return this.#content.passedOver;
  }

  /** Starts listening. No run starts before the queue is started. */
  async start(): Promise<void> {
    await this.queue.loadOpenRuns();
    await this.queue.keepOnly((path) => this.#paths.concerns(path));
    this.#listen();
    this.#content.survey(this.#agent, () => this.#paths.files());
  }

  /** Adopts the agent's changed file. Unchanged paths are watched without interruption. */
  async update(agent: WatchingAgent): Promise<void> {
    const before = this.#agent;
    // Agents are immutable: the same object has the same watch.
    if (before === agent) return;
    if (!isDeepStrictEqual(settingsOf(before), settingsOf(agent))) await this.#replace(agent);
    this.#agent = agent;
    this.#content.survey(this.#agent, () => this.#paths.files());
    this.queue.update(agent);
    const { stops } = this.#ports;
    const isTooLarge = this.#paths.places.some((one) => one.isTooLarge);
    if (stops.kindOf(agent.id) === "size" && !isTooLarge) await stops.release(agent.id);
  }

  /** Resets all limits, after the trigger was re-armed. */
  reset(): void {
    this.#ports.breaker.reset(this.#agent.id);
    this.queue.reset();
  }

  changed(place: WatchedPlace, changes: readonly Transition[]): void {
    const isNew = place.isThere && !this.#compared.has(place);
    if (place.isTooLarge) {
      const remedy =
        "Edit the agent's file; if the folder has become smaller, restart the service.";
      const reason = describeTooLarge(place.path, this.#ports.mostEntries);
      this.#ports.stops.stop(this.#agent, { what: "watch", by: "size", reason, remedy });
    } else if (isNew && this.#remembered !== undefined) this.#compare(place, this.#remembered);
    else this.#note(changes.filter((one) => this.#paths.counts(place, one)));
  }

  /** Closes the watch and removes all stored state, because the agent watches no more. */
  async forget(): Promise<void> {
    this.queue.stop();
    await this.#end();
    await this.queue.keepOnly(() => false);
    await this.queue[Symbol.asyncDispose]();
    this.#ports.breaker.reset(this.#agent.id);
    await this.#ports.store.forgetWatches([this.#agent.id]);
  }

  /** Closes the watch without storing anything, because another machine watches now. */
  async stop(): Promise<void> {
    this.queue.stop();
    await this.#end();
    await this.queue[Symbol.asyncDispose]();
  }

  /** Closes the watch and stores the changes that are not quiet yet. Started runs continue. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.queue.stop();
    await this.#paths.check();
    // The events of the last writes may not have arrived yet.
    const written = this.#ports.ownWrites.latest();
    await Promise.all(this.#paths.places.map((place) => place.scan(written)));
    await this.#settle(Infinity);
    await this.#end();
    await this.queue[Symbol.asyncDispose]();
  }

  async #end(): Promise<void> {
    this.#paths.leave(this);
    await this.#pause();
    await this.#paths[Symbol.asyncDispose]();
  }

  /** Watches the paths of a new version of the agent, without missing or repeating a change. */
  async #replace(agent: WatchingAgent): Promise<void> {
    const former = this.#paths;
    // Settled changes must be stored before the snapshot is read.
    await this.#pause();
    try {
      const { paths, remembered } = await openPaths(agent, this.#ports);
      this.#paths = paths;
      // Once all places were compared, the agent has seen their changes.
      if (this.#remembered !== undefined) this.#remembered = remembered;
      former.leave(this);
      this.#folding.keepOnly((path) => paths.concerns(path));
      this.#listen();
      await former[Symbol.asyncDispose]();
      await this.queue.keepOnly((path) => paths.concerns(path));
    } finally {
      this.#rest = new AbortController();
      this.#timing = undefined;
      this.#note([]);
    }
  }

  #listen(): void {
    for (const place of this.#paths.places) {
      place.listen(this);
      this.changed(place, []);
    }
  }

  /** Notes the changes since the last snapshot. */
  #compare(place: WatchedPlace, remembered: ReadonlyMap<string, Stamp | null>): void {
    this.#compared.add(place);
    const hidden = [...remembered].flatMap(([path, stamp]) => stamp === UNREAD ? [path] : []);
    const wasHidden = (path: string) =>
      hidden.some((one) => one === place.path || isBelow(path, one));
    const files = new Map(place.files());
    const found = [...files].map(([path, now]) => {
      const first = now !== UNREAD && wasHidden(path) ? UNREAD : null;
      return { path, before: remembered.get(path) ?? first, now };
    });
    const gone = [...remembered].flatMap(([path, before]) =>
      files.has(path) || place.isUnread(path) ? [] : [{ path, before, now: null }]
    );
    const changes = [...found, ...gone].filter(({ before, now }) => before !== now);
    this.#note(changes.filter((one) => this.#paths.counts(place, one)));
    if (this.#paths.places.every((one) => this.#compared.has(one))) this.#remembered = undefined;
  }

  /** Notes changes that happen now. */
  #note(changes: readonly Transition[]): void {
    const { clock, breaker } = this.#ports;
    for (const change of changes) {
      this.#folding.note(change, { at: clock.now(), origin: breaker.originOf(change.path) });
    }
    if (this.#folding.size > 0) this.#timing ??= this.#settleInTime(this.#rest.signal);
  }

  async #settleInTime(signal: AbortSignal): Promise<void> {
    const { clock } = this.#ports;
    const isGone = (path: string) => this.#paths.isGone(path);
    // Continues only after the caller has stored this promise as the one that settles.
    await Promise.resolve();
    for (let oldest; (oldest = this.#folding.oldest(isGone)) !== undefined;) {
      const { debounceMs } = this.#agent.trigger;
      const waitMs = Math.min(oldest + debounceMs - clock.now(), debounceMs);
      if (!await sleepUnlessAborted(clock, Math.max(0, waitMs), signal)) return;
      const now = clock.now();
      // Changes must not wait until a clock that was set back reaches their time again.
      await this.#settle(oldest > now ? oldest : now - debounceMs);
    }
    this.#timing = undefined;
  }

  /** Stops settling. When this resolves, all settled changes are stored. */
  async #pause(): Promise<void> {
    this.#rest.abort();
    await this.#timing;
    await this.#settling.settled();
  }

  /** Queues the changes of paths that have been quiet since `dueBefore` (milliseconds since the epoch). */
  async #settle(dueBefore: number): Promise<void> {
    const agent = this.#agent;
    await this.#settling.run(() => this.#settleNow(agent, dueBefore)).catch((error) => {
      this.#ports.log.write("error", "File changes were lost", { agent: agent.id, error });
    });
  }

  async #settleNow(agent: WatchingAgent, dueBefore: number): Promise<void> {
    const { id } = agent;
    const { isPaused, ownWrites } = this.#ports;
    // Everything watched may have vanished together.
    if (this.#folding.hasDeletion(dueBefore)) await this.#paths.check();
    const settled = this.#folding.settle(dueBefore, (path) => this.#paths.isGone(path));
    if (settled.length === 0) return;
    for (const { path, stamp } of settled) this.#remembered?.set(path, stamp);
    // An unknown answer loses nothing: the pause is checked again before a run starts.
    const isLost = await isPaused().catch(() => false);
    const changes: WatchChange[] = [];
    const changed = await this.#content.drop(agent, settled);
    for (const { path, event, origin } of isLost ? [] : changed) {
      if (event === undefined || await ownWrites.isOwn(id, path)) continue;
      const writer = await ownWrites.writerOf(path);
      const known = writer === undefined ? origin : { previous: writer, continues: true };
      changes.push({ path, event, origin: known });
    }
    await this.queue.put(changes, await this.#content.toSeenFiles(agent, settled));
  }
}

/** Opens the watched paths of an agent, with its last snapshot. */
async function openPaths(
  { id, trigger }: WatchingAgent,
  ports: AgentWatchPorts,
): Promise<StartState> {
  const { store } = ports;
  const stored = await store.readSeen(id);
  const paths = await WatchedPaths.open(trigger, ports);
  const fingerprint = JSON.stringify([trigger.paths, trigger.filters]);
  const catchesUp = trigger.catchUp === "once";
  if (catchesUp && stored?.get(FINGERPRINT_PATH) === fingerprint) {
    if (!trigger.sameContent) {
      for (const file of await store.readDigests(id)) ports.digests.learn(file);
    }
    const remembered = new Map<string, Stamp | null>(stored);
    remembered.delete(FINGERPRINT_PATH);
    return { paths, remembered };
  }
  try {
    const files = new Map(catchesUp ? paths.files() : []);
    if (catchesUp) files.set(FINGERPRINT_PATH, fingerprint);
    const gone = [...stored?.keys() ?? []].filter((path) => !files.has(path));
    const seen = [
      ...gone.map((path) => ({ path, stamp: null })),
      ...[...files].map(([path, stamp]) => ({ path, stamp })),
    ];
    if (seen.length > 0) await store.markSeen(id, seen);
  } catch (error) {
    await paths[Symbol.asyncDispose]();
    throw error;
  }
  return { paths, remembered: undefined };
}

/** Returns the part of an agent that its watch depends on. */
function settingsOf({ trigger }: WatchingAgent): Omit<WatchTrigger, "type" | "input" | "maxRuns"> {
  const { paths, filters, debounceMs, catchUp } = trigger;
  return { paths, filters, debounceMs, catchUp };
}
