// The only place that has folders watched. Listeners get hints about paths, and are asked to look for themselves whenever
// hints may have been lost. The watches themselves are left to FolderEvents.
//
// Decision: what is really watched never overlaps. All of Deno's watches share one (measured with 2.9.6): closing one
// silently ends the events of a watch on a folder above or below it. So a folder inside of a watched one has no watch of its
// own, and watches that are replaced are closed and awaited before others are opened.
import type { Clock } from "../clock.ts";
import { isBelow } from "../files/path_below.ts";
import type { ServiceLog } from "../service_log/service_log.ts";
import { BlindFolders } from "./blind_folders.ts";
import { EventBursts } from "./event_bursts.ts";
import { type FolderEventSource, type OpenFolderEvents, WatchLost } from "./folder_event_source.ts";
import { FolderEvents } from "./folder_events.ts";
import { identityAt, IdentityChecks } from "./identity_checks.ts";
import { coverOf, FolderCover, isCovered, type WatchedFolder } from "./watch_cover.ts";

/** Who is notified about a folder. */
export interface FolderListener {
  /** Something may have happened at these paths: of the folder itself, or below it. */
  changed(paths: readonly string[]): void;
  /** Anything may have happened. Resolves when it has been looked for. */
  uncertain(): Promise<void>;
}

interface Request extends WatchedFolder {
  listener: FolderListener;
}

interface OpenFolder extends WatchedFolder {
  /** What was there a moment before; undefined where that is unknown. */
  identity: string | undefined;
  source: FolderEventSource;
  /** Resolves when the watch has really ended. */
  ended: Promise<void>;
  isStale: boolean;
  /** Who is notified of its events. */
  requests: Request[];
}

/** Watches folders for as many listeners as there are. */
export class FolderWatches implements AsyncDisposable {
  readonly #events: FolderEvents;
  readonly #open: OpenFolderEvents;
  readonly #requests = new Set<Request>();
  /** Those that were notified of nothing yet, so they missed nothing. */
  #fresh = new Set<Request>();
  readonly #blind: BlindFolders;
  #folders: OpenFolder[] = [];
  #isOver = false;
  #settling: Promise<void> = Promise.resolve();
  /** What is asked for until it begins is settled with it. */
  #nextSettling: Promise<void> | undefined;
  readonly #bursts: EventBursts;
  readonly #checks: IdentityChecks;

  /** Owns `events`; where `open` is given, it is used instead of them. */
  constructor(
    ports: { clock: Clock; log: ServiceLog; events?: FolderEvents; open?: OpenFolderEvents },
  ) {
    this.#events = ports.events ?? new FolderEvents({ log: ports.log });
    this.#open = ports.open ?? ((folder, options) => this.#events.open(folder, options));
    this.#bursts = new EventBursts(ports.clock, () => this.#uncertain(() => true));
    this.#checks = new IdentityChecks(ports.clock, () => this.#renewReplaced());
    this.#blind = new BlindFolders({
      clock: ports.clock,
      log: ports.log,
      look: (folder) => this.#uncertain((request) => isCovered(request, folder)),
      retry: () => this.#settle(),
    });
  }

  /**
   * Watches a folder until the returned function is called. Resolves when it is being watched, or looked at from time to
   * time where it cannot be.
   */
  async watch(folder: WatchedFolder, listener: FolderListener): Promise<() => void> {
    const request = { ...folder, listener };
    this.#requests.add(request);
    this.#fresh.add(request);
    await this.#settle();
    return () => {
      this.#requests.delete(request);
      this.#settle();
    };
  }

  /** Watches a folder anew: what could not be read in it until now is not watched, either. */
  renew(folder: string): void {
    for (const open of this.#folders) {
      if (isBelow(folder, open.folder)) this.#renew(open);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const bursts = this.#bursts[Symbol.asyncDispose]();
    this.#requests.clear();
    this.#isOver = true;
    // First: what is under way may wait for a watch that does not answer.
    await this.#events[Symbol.asyncDispose]();
    await this.#settle();
    await bursts;
    await this.#checks[Symbol.asyncDispose]();
    await this.#blind[Symbol.asyncDispose]();
  }

  /** Brings what is watched in line with what is asked for. */
  #settle(): Promise<void> {
    return this.#nextSettling ??= this.#settling = this.#settling.then(() => {
      this.#nextSettling = undefined;
      return this.#settleNow();
    });
  }

  async #settleNow(): Promise<void> {
    const fresh = this.#fresh;
    this.#fresh = new Set();
    const wanted = coverOf(this.#requests);
    const isWanted = new FolderCover(wanted);
    const [kept, dropped] = partition(this.#folders, (one) => isWanted.has(one) && !one.isStale);
    this.#folders = kept;
    this.#blind.keepOnly((folder) => isWanted.has(folder));
    for (const one of dropped) closeSource(one.source);
    await Promise.all(dropped.map(({ ended }) => ended));
    const watched = new FolderCover(kept);
    const tried = wanted.filter((folder) => !watched.has(folder) && this.#blind.mayTry(folder));
    await Promise.all(tried.map((folder) => this.#openFolder(folder)));
    this.#route();
    this.#checks.keepUp(this.#folders.length > 0);
    // Between the old watch and the new one there were no events.
    const anew = new FolderCover(tried);
    void this.#uncertain((one) => !fresh.has(one) && anew.covering(one) !== undefined);
  }

  /** Finds out again whose folder lies where. */
  #route(): void {
    for (const one of this.#folders) one.requests = [];
    const watched = new FolderCover(this.#folders);
    for (const request of this.#requests) watched.covering(request)?.requests.push(request);
  }

  async #openFolder(folder: WatchedFolder): Promise<void> {
    try {
      const identity = identityAt(folder.folder);
      const source = await this.#open(folder.folder, { recursive: folder.recursive });
      const open: OpenFolder = {
        ...folder,
        identity,
        source,
        ended: Promise.resolve(),
        isStale: false,
        requests: [],
      };
      open.ended = this.#listen(open);
      this.#folders.push(open);
      this.#blind.remove(folder);
    } catch (error) {
      // Also where what was to watch it did not respond: then it is tried again later, not over and over.
      if (!this.#isOver) this.#blind.add(folder, error);
    }
  }

  async #listen(open: OpenFolder): Promise<void> {
    let failure: unknown = new Error("the watch ended");
    try {
      for await (const event of open.source) this.#take(open, event);
    } catch (error) {
      failure = error;
    }
    if (!this.#folders.includes(open)) return;
    // Ended by itself: its listeners still want to know.
    if (!(failure instanceof WatchLost)) this.#blind.add(open, failure);
    this.#renew(open);
  }

  #renew(open: OpenFolder): void {
    open.isStale = true;
    this.#settle();
  }

  /** A watch follows the folder that it began with. That another one is there now, or none, may go unreported. */
  async #renewReplaced(): Promise<void> {
    for (const open of this.#folders) {
      const now = identityAt(open.folder);
      const isOther = open.identity !== undefined && now !== undefined && now !== open.identity;
      if (isOther) this.#renew(open);
    }
    await this.#settling;
  }

  #take(open: OpenFolder, { kind, paths, flag }: Deno.FsEvent): void {
    if (kind === "access") return;
    this.#bursts.count();
    if (flag === "rescan") void this.#uncertain(() => true);
    // Removals are reported to every watch, whatever its folder.
    const inside = paths.filter((path) => isBelow(path, open.folder));
    // A folder that was removed or moved sends no more events, even when it comes back.
    if ((kind === "remove" || kind === "rename") && inside.includes(open.folder)) this.#renew(open);
    for (const request of inside.length === 0 ? [] : open.requests) {
      if (!this.#requests.has(request)) continue;
      const concerning = inside.filter((path) => isBelow(path, request.folder));
      if (concerning.length > 0) request.listener.changed(concerning);
    }
  }

  async #uncertain(isMeant: (request: Request) => boolean): Promise<void> {
    await Promise.all(
      [...this.#requests].filter(isMeant).map(({ listener }) => listener.uncertain()),
    );
  }
}

function closeSource(source: FolderEventSource): void {
  try {
    source.close();
  } catch (error) {
    // It ended by itself.
    if (!(error instanceof Deno.errors.BadResource)) throw error;
  }
}

function partition<Item>(
  items: readonly Item[],
  isFirst: (item: Item) => boolean,
): [Item[], Item[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}
