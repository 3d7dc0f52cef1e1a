// Watches one agent's paths and queues a run for each change that the agent did not make itself. A change waits until its
// path is quiet and, if the whole watched path was removed, until that path exists again.
import { isDeepStrictEqual } from "node:util";
import { describeTooLarge } from "../../agents/watch_path.ts";
import { sleepUnlessAborted } from "../../../base/bounded_wait.ts";
import { isBelow } from "../../../base/files/path_below.ts";
import { SerialQueue } from "../../../base/serial_queue.ts";
import { type Stamp, type Transition, UNREAD } from "../../folders/folder_snapshot.ts";
import type { PlaceListener, WatchedPlace } from "../../folders/watched_place.ts";
import { ChangeFolding } from "./change_folding.ts";
import { type PassedOver, SameContent } from "./same_content.ts";
import { RunQueue, type WatchChange, type WatchingAgent, type WatchPorts } from "./run_queue.ts";
import type { QueuedChange } from "./watch_store.ts";
import { WatchedPaths } from "./watched_paths.ts";

/** The path under which the snapshot stores the agent's watch settings. Changed settings need a new snapshot. */
const FINGERPRINT_PATH = "";

/** The watched paths, and the agent's stored snapshot. Without a snapshot the watch starts with the present files. */
interface StartState {
  paths: WatchedPaths;
  remembered: Map<string, Stamp | null> | undefined;
}

/** The watch of one agent. Do not call `update()` while another call is in progress. */
export class AgentWatch implements AsyncDisposable, PlaceListener {
  readonly #ports: WatchPorts;
  /** The file changes that wait for a run. */
  readonly queue: RunQueue;
  readonly #folding = new ChangeFolding();
  readonly #settling = new SerialQueue();
  #agent: WatchingAgent;
  #paths: WatchedPaths;
  /** The stored snapshot; undefined after all watched places have been compared with it. */
  #remembered: Map<string, Stamp | null> | undefined;
  readonly #compared = new WeakSet<WatchedPlace>();
  readonly #content: SameContent;
  /** Aborted to prevent changes from being queued. */
  #rest = new AbortController();
  #timing: Promise<void> | undefined;

  private constructor(
    agent: WatchingAgent,
    own: StartState & { waiting: readonly QueuedChange[]; ports: WatchPorts },
  ) {
    this.#agent = agent;
    this.#ports = own.ports;
    this.#paths = own.paths;
    this.#remembered = own.remembered;
    this.#content = new SameContent(own.ports);
    this.queue = new RunQueue(agent, own.waiting, own.ports);
  }

  /** Opens the watched paths and reads the stored state of an agent. */
  static async open(agent: WatchingAgent, ports: WatchPorts): Promise<AgentWatch> {
    const waiting = await ports.store.readQueue(agent.id);
    return new AgentWatch(agent, { ...await openPaths(agent, ports), waiting, ports });
  }

  /** The last file change that started no run because the content is the same; null if there is none. */
  get passedOver(): PassedOver | null {
    return this.#content.passedOver;
  }

  /** Starts collecting file changes. Runs start only after `queue.start()`. */
  async start(): Promise<void> {
    await this.queue.loadOpenRuns();
    await this.queue.keepOnly((path) => this.#paths.concerns(path));
    this.#listen();
    this.#content.survey(this.#agent, () => this.#paths.files());
  }

  /** Updates the watch from a new version of the agent. Unchanged paths are watched without interruption. */
  async update(agent: WatchingAgent): Promise<void> {
    const before = this.#agent;
    // Agent objects are immutable, so the same object has the same watch settings.
    if (before === agent) return;
    if (!isDeepStrictEqual(settingsOf(before), settingsOf(agent))) await this.#replace(agent);
    this.#agent = agent;
    this.#content.survey(this.#agent, () => this.#paths.files());
    this.queue.update(agent);
    const { stops } = this.#ports;
    const isTooLarge = this.#paths.places.some((one) => one.isTooLarge);
    if (stops.find(agent.id)?.by === "size" && !isTooLarge) await stops.release(agent.id);
  }

  /** Resets the counts of the agent's runs. Called after its trigger was re-armed. */
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

  /** Closes the watch and removes its stored state, because the agent no longer watches files. */
  async forget(): Promise<void> {
    this.queue.stop();
    await this.#end();
    await this.queue.keepOnly(() => false);
    await this.queue[Symbol.asyncDispose]();
    this.#ports.breaker.reset(this.#agent.id);
    await this.#ports.store.forgetWatches([this.#agent.id]);
  }

  /** Closes the watch without storing anything, because another machine watches for this agent now. */
  async stop(): Promise<void> {
    this.queue.stop();
    await this.#end();
    await this.queue[Symbol.asyncDispose]();
  }

  /** Closes the watch and stores the changes that still wait for quiet. Runs that have started continue. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.queue.stop();
    await this.#paths.check();
    // The system may not have delivered the events of the last writes yet, so the written paths are scanned.
    const written = this.#ports.ownWrites.latest();
    await Promise.all(this.#paths.places.map((place) => place.scan(written)));
    await this.settle();
    await this.#end();
    await this.queue[Symbol.asyncDispose]();
  }

  async #end(): Promise<void> {
    this.#paths.leave(this);
    await this.#pause();
    await this.#paths[Symbol.asyncDispose]();
  }

  /** Replaces the watched paths by those of a new version of the agent. No change is lost or reported twice. */
  async #replace(agent: WatchingAgent): Promise<void> {
    const former = this.#paths;
    // All quiet changes must be in the store before `openPaths()` reads the snapshot from it.
    await this.#pause();
    try {
      const { paths, remembered } = await openPaths(agent, this.#ports);
      this.#paths = paths;
      // An undefined `#remembered` stays undefined: all places have been compared, and their changes must not be repeated.
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

  /** Records the differences between the stored snapshot and the present files of a place. */
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

  /** Records changes that were just noticed, and starts the timer for them. */
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
    // Gives the caller time to store this promise in `#timing`.
    await Promise.resolve();
    for (let oldest; (oldest = this.#folding.oldest(isGone)) !== undefined;) {
      const { debounceMs } = this.#agent.trigger;
      const waitMs = Math.min(oldest + debounceMs - clock.now(), debounceMs);
      if (!await sleepUnlessAborted(clock, Math.max(0, waitMs), signal)) return;
      const now = clock.now();
      // If `oldest` is in the future, the clock was set back. The changes are queued without further wait.
      await this.settle(oldest > now ? oldest : now - debounceMs);
    }
    this.#timing = undefined;
  }

  /** Stops the timer. Resolves when all changes that were being queued are stored. */
  async #pause(): Promise<void> {
    this.#rest.abort();
    await this.#timing;
    await this.#settling.settled();
  }

  /** Queues a run for each path whose last change is not after `dueBefore`. During a pause, drops these changes. */
  async settle(dueBefore = Infinity): Promise<void> {
    const agent = this.#agent;
    await this.#settling.run(() => this.#settleNow(agent, dueBefore)).catch((error) => {
      this.#ports.log.write("error", "File changes were lost", { agent: agent.id, error });
    });
  }

  async #settleNow(agent: WatchingAgent, dueBefore: number): Promise<void> {
    const { id } = agent;
    const { isPaused, ownWrites } = this.#ports;
    // A deletion may be a part of the removal of the whole watched place, which `check()` detects.
    if (this.#folding.hasDeletion(dueBefore)) await this.#paths.check();
    const settled = this.#folding.settle(dueBefore, (path) => this.#paths.isGone(path));
    if (settled.length === 0) return;
    for (const { path, stamp } of settled) this.#remembered?.set(path, stamp);
    // If the state of the pause cannot be read, the changes are kept. The pause is checked again before a run starts.
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

/** Opens the watched paths. With `catch_up: once` and unchanged settings, also returns the agent's stored snapshot. */
async function openPaths(
  { id, trigger }: WatchingAgent,
  ports: WatchPorts,
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

/** Returns the trigger settings whose change needs new watched paths. */
function settingsOf(
  { trigger: { paths, filters, debounceMs, catchUp } }: WatchingAgent,
): Omit<WatchingAgent["trigger"], "type" | "input" | "maxRuns"> {
  return { paths, filters, debounceMs, catchUp };
}
