// One agent that watches: what of its files has changed, and is not its own doing, goes into the queue of its runs. A change
// waits until its path has been quiet for a while, or, where all that is watched has vanished with it, until that is back.
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

/** No file has an empty path: the stamp there says what was watched, because other paths or filters begin anew. */
const FINGERPRINT_PATH = "";

/** What all watches share. */
export interface AgentWatchPorts extends RunQueuePorts, SameContentPorts {
  places: WatchedPlaces;
  /** How many files and folders may be at a watched path. */
  mostEntries: number;
  base: PathBase;
  ownWrites: OwnWrites;
}

/** What is watched for an agent, and how it looked when the agent was last told; undefined: it begins with what is there. */
interface Entered {
  paths: WatchedPaths;
  remembered: Map<string, Stamp | null> | undefined;
}

/** One agent's watch. Its updates must not overlap. */
export class AgentWatch implements AsyncDisposable, PlaceListener {
  readonly #ports: AgentWatchPorts;
  /** What it runs for. */
  readonly queue: RunQueue;
  readonly #folding = new ChangeFolding();
  readonly #settling = new SerialQueue();
  #agent: WatchingAgent;
  #paths: WatchedPaths;
  /** See Entered; until all places have been compared with it. */
  #remembered: Map<string, Stamp | null> | undefined;
  readonly #compared = new WeakSet<WatchedPlace>();
  readonly #content: SameContent;
  /** Aborted: nothing settles by itself. */
  #rest = new AbortController();
  #timing: Promise<void> | undefined;

  private constructor(
    agent: WatchingAgent,
    own: Entered & { waiting: readonly QueuedChange[]; ports: AgentWatchPorts },
  ) {
    this.#agent = agent;
    this.#ports = own.ports;
    this.#paths = own.paths;
    this.#remembered = own.remembered;
    this.#content = new SameContent(own.ports);
    this.queue = new RunQueue(agent, own.waiting, own.ports);
  }

  /** Takes in all that an agent watches. */
  static async open(agent: WatchingAgent, ports: AgentWatchPorts): Promise<AgentWatch> {
    const waiting = await ports.store.readQueue(agent.id);
    return new AgentWatch(agent, { ...await enter(agent, ports), waiting, ports });
  }

  /** The last change that did not fire, because the content is the same. */
  get passedOver(): PassedOver | null {
    return this.#content.passedOver;
  }

  /** Begins to listen. Nothing runs before its queue is started. */
  async begin(): Promise<void> {
    await this.queue.takeUp();
    await this.queue.keepOnly((path) => this.#paths.concerns(path));
    this.#listen();
    this.#content.survey(this.#agent, () => this.#paths.files());
  }

  /** Follows the agent as its file says now; where it watches the same, what is watched continues untouched. */
  async update(agent: WatchingAgent): Promise<void> {
    const before = this.#agent;
    // Agents are immutable: the same object is the same watch.
    if (before === agent) return;
    if (!isDeepStrictEqual(watchedBy(before), watchedBy(agent))) await this.#replace(agent);
    this.#agent = agent;
    this.#content.survey(this.#agent, () => this.#paths.files());
    this.queue.update(agent);
    const { stops } = this.#ports;
    const isTooLarge = this.#paths.places.some((one) => one.isTooLarge);
    if (stops.kindOf(agent.id) === "size" && !isTooLarge) await stops.release(agent.id);
  }

  /** Its stopped trigger may fire again: everything is counted from zero. */
  released(): void {
    this.#ports.breaker.reset(this.#agent.id);
    this.queue.released();
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

  /** Ends, and forgets all about the agent: it watches no more. */
  async forget(): Promise<void> {
    this.queue.stop();
    await this.#end();
    await this.queue.keepOnly(() => false);
    await this.queue[Symbol.asyncDispose]();
    this.#ports.breaker.reset(this.#agent.id);
    await this.#ports.store.forgetWatches([this.#agent.id]);
  }

  /** Ends, and stores nothing: another machine watches now. */
  async leave(): Promise<void> {
    this.queue.stop();
    await this.#end();
    await this.queue[Symbol.asyncDispose]();
  }

  /** Ends, and stores what is not quiet yet. Runs that were started continue. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.queue.stop();
    await this.#paths.check();
    // No event may have come yet of what was written last.
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

  /** Watches what another version of the agent watches, without missing or repeating a change. */
  async #replace(agent: WatchingAgent): Promise<void> {
    const former = this.#paths;
    // What has settled must be stored before it is asked what is remembered.
    await this.#pause();
    try {
      const { paths, remembered } = await enter(agent, this.#ports);
      this.#paths = paths;
      // Where all was compared before, it has been told.
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

  /** Finds what has changed while nobody watched. */
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

  /** These changes happen now. */
  #note(changes: readonly Transition[]): void {
    const { clock, breaker } = this.#ports;
    for (const change of changes) {
      this.#folding.note(change, { at: clock.now(), origin: breaker.noticed(change.path) });
    }
    if (this.#folding.size > 0) this.#timing ??= this.#settleInTime(this.#rest.signal);
  }

  async #settleInTime(signal: AbortSignal): Promise<void> {
    const { clock } = this.#ports;
    const isGone = (path: string) => this.#paths.isGone(path);
    // Not before this is known as the one that does it.
    await Promise.resolve();
    for (let oldest; (oldest = this.#folding.oldest(isGone)) !== undefined;) {
      const { debounceMs } = this.#agent.trigger;
      const waitMs = Math.min(oldest + debounceMs - clock.now(), debounceMs);
      if (!await sleepUnlessAborted(clock, Math.max(0, waitMs), signal)) return;
      const now = clock.now();
      // A clock that was set back must not make changes wait for it to come round.
      await this.#settle(oldest > now ? oldest : now - debounceMs);
    }
    this.#timing = undefined;
  }

  /** Nothing settles by itself from now on; all that has settled is stored when this resolves. */
  async #pause(): Promise<void> {
    this.#rest.abort();
    await this.#timing;
    await this.#settling.settled();
  }

  /** Puts what has been quiet since `dueBefore` (milliseconds since the epoch) into the queue. */
  async #settle(dueBefore: number): Promise<void> {
    const agent = this.#agent;
    await this.#settling.run(() => this.#settleNow(agent, dueBefore)).catch((error) => {
      this.#ports.log.write("error", "File changes were lost", { agent: agent.id, error });
    });
  }

  async #settleNow(agent: WatchingAgent, dueBefore: number): Promise<void> {
    const { id } = agent;
    const { isPaused, ownWrites } = this.#ports;
    // All may have vanished with it.
    if (this.#folding.hasDeletion(dueBefore)) await this.#paths.check();
    const settled = this.#folding.settle(dueBefore, (path) => this.#paths.isGone(path));
    if (settled.length === 0) return;
    for (const { path, stamp } of settled) this.#remembered?.set(path, stamp);
    // Where that cannot be told, nothing is lost: it is asked once more before a run starts.
    const isLost = await isPaused().catch(() => false);
    const changes: WatchChange[] = [];
    const changed = await this.#content.drop(agent, settled);
    for (const { path, event, origin } of isLost ? [] : changed) {
      if (event === undefined || await ownWrites.isOwn(id, path)) continue;
      const writer = await ownWrites.writerOf(path);
      const known = writer === undefined ? origin : { previous: writer, continues: true };
      changes.push({ path, event, origin: known });
    }
    await this.queue.put(changes, await this.#content.toSeen(agent, settled));
  }
}

/** Takes in what an agent watches, and what is remembered of it. */
async function enter(
  { id, trigger }: WatchingAgent,
  ports: AgentWatchPorts,
): Promise<Entered> {
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

/** What of an agent its watch is made of. */
function watchedBy({ trigger }: WatchingAgent): Omit<WatchTrigger, "type" | "input" | "maxRuns"> {
  const { paths, filters, debounceMs, catchUp } = trigger;
  return { paths, filters, debounceMs, catchUp };
}
