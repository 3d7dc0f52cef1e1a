// The only place that has folders watched. Listeners get hints about paths, and are asked to look for themselves whenever
// hints may have been lost: the system drops events of a burst, and does not always say so (half of 5,000 new files,
// silently). Folders that cannot be watched are looked at from time to time instead.
//
// Decision: what is really watched never overlaps. All of Deno's watches share one (measured with 2.9.6): closing one
// silently ends the events of a watch on a folder above or below it. So a folder inside of a watched one has no watch of its
// own, and watches that are replaced are closed before others are opened.
import { sleepUnlessAborted } from "../../base/bounded_wait.ts";
import type { Clock } from "../../base/clock.ts";
import { identityAt, MISSING } from "../../base/files/folder_identity.ts";
import { isBelow } from "../../base/files/path_below.ts";
import type { ServiceLog } from "../service_log/service_log.ts";
import { EventBursts } from "./event_bursts.ts";
import { coverOf, FolderCover, type WatchedFolder } from "./folder_cover.ts";
import {
  concerningPaths,
  type FolderListener,
  type OpenFolder,
  type Request,
} from "./open_folder.ts";
import { NewFolders } from "./new_folders.ts";
import {
  describeWatchFailure,
  type FolderEventSource,
  type OpenFolderEvents,
  surveyFolder,
  SystemWatches,
} from "./system_watches.ts";

const CHECK_MS = 2_000;
/** A folder that cannot be watched is tried again so often. */
const RETRY_MS = 60_000;
/** Looking at everything takes long where folders are large: then it rests for this many times as long, a minute at most. */
const REST_FACTOR = 10;
const LONGEST_REST_MS = 60_000;
/** What folders are watched with. */
export interface FolderWatchesPorts {
  clock: Clock;
  log: ServiceLog;
  /** A folder (absolute) of this service alone: see SystemWatches. */
  probeFolder: string;
  /** In place of the system's watches. */
  open?: OpenFolderEvents;
}

/** Watches folders for as many listeners as there are. */
export class FolderWatches implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #log: ServiceLog;
  readonly #system: SystemWatches;
  readonly #open: OpenFolderEvents;
  readonly #requests = new Set<Request>();
  /** Those that were notified of nothing yet, so they missed nothing. */
  #fresh = new Set<Request>();
  #folders: OpenFolder[] = [];
  readonly #over = new AbortController();
  #settling: Promise<void> = Promise.resolve();
  /** What is asked for until it begins is settled with it. */
  #nextSettling: Promise<void> | undefined;
  #checks = new AbortController();
  #checking: Promise<void> | undefined;
  /** Until when large folders that cannot be watched are left alone. */
  #restUntil = 0;
  /** Logged once, until all folders can be watched again. */
  #isTold = false;
  readonly #bursts: EventBursts;
  #probedAt = 0;
  readonly #newFolders: NewFolders;

  constructor({ clock, log, probeFolder, open }: FolderWatchesPorts) {
    this.#clock = clock;
    this.#log = log;
    this.#bursts = new EventBursts(clock, () => this.#uncertain(() => true));
    this.#newFolders = new NewFolders(clock, (folders) => this.#takeNew(folders));
    this.#system = new SystemWatches({ probeFolder });
    this.#open = open ?? ((folder, options) => this.#system.open(folder, options));
  }

  /**
   * Watches a folder until the returned function is called. Resolves when it is being watched, or looked at from time to
   * time where it cannot be.
   */
  async watch({ folder, recursive }: WatchedFolder, listener: FolderListener): Promise<() => void> {
    const watched = { folder: this.#knownAs(folder), recursive };
    const request = { watched, folder, listener };
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
    this.#over.abort();
    this.#requests.clear();
    const checking = this.#checking;
    await this.#settle();
    await Promise.all([
      checking,
      this.#newFolders[Symbol.asyncDispose](),
      this.#bursts[Symbol.asyncDispose](),
    ]);
    await this.#system[Symbol.asyncDispose]();
  }

  /** The path of the same folder that is watched already: with a bind mount, one folder has several. */
  #knownAs(folder: string): string {
    const identity = identityAt(folder);
    const same = identity === undefined || identity === MISSING
      ? undefined
      : this.#folders.find((open) => open.identity === identity);
    return same?.folder ?? folder;
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
    const wanted = coverOf([...this.#requests].map(({ watched }) => watched));
    const isWanted = new FolderCover(wanted);
    const dropped = this.#folders.filter((one) => one.isStale || !isWanted.has(one));
    this.#folders = this.#folders.filter((one) => !dropped.includes(one));
    for (const { source } of dropped) source?.close();
    await Promise.all(dropped.map(({ ended }) => ended));
    const kept = new FolderCover(this.#folders);
    const opened = await Promise.all(
      wanted.filter((folder) => !kept.has(folder)).map((folder) => this.#openFolder(folder)),
    );
    this.#folders.push(...opened);
    this.#route();
    if (this.#requests.size > 0) this.#checking ??= this.#check(this.#checks.signal);
    else this.#endChecks();
    if (this.#isTold && this.#folders.every(({ source }) => source !== undefined)) {
      this.#isTold = false;
      this.#log.write("info", "All folders can be watched again");
    }
    // Between the old watch and the new one there were no events.
    const anew = new FolderCover(opened);
    void this.#uncertain((one) => !fresh.has(one) && anew.covering(one.watched) !== undefined);
  }

  /** Finds out again whose folder lies where. */
  #route(): void {
    for (const one of this.#folders) one.requests = [];
    const watched = new FolderCover(this.#folders);
    for (const request of this.#requests) {
      watched.covering(request.watched)?.requests.push(request);
    }
  }

  async #openFolder({ folder, recursive }: WatchedFolder): Promise<OpenFolder> {
    const open: OpenFolder = {
      folder,
      recursive,
      identity: identityAt(folder),
      source: undefined,
      retryAt: 0,
      ended: Promise.resolve(),
      isStale: false,
      requests: [],
    };
    try {
      open.source = await this.#open(folder, { recursive });
      open.ended = this.#listen(open, open.source);
    } catch (error) {
      this.#fail(open, error);
    }
    return open;
  }

  /** A folder is not watched for now. */
  #fail(open: OpenFolder, error: unknown): void {
    open.source = undefined;
    // Gone a moment before it was to be watched: its listeners notice that as soon as they look.
    const isGone = error instanceof Deno.errors.NotFound;
    open.retryAt = this.#clock.now() + (isGone ? 0 : RETRY_MS);
    if (isGone || this.#isTold || this.#over.signal.aborted) return;
    this.#isTold = true;
    this.#log.write(
      "warn",
      `Cannot watch ${open.folder}: ${
        describeWatchFailure(error)
      } Such folders are looked at every ` +
        `${CHECK_MS / 1_000} seconds instead, and tried again every minute.`,
    );
  }

  async #listen(open: OpenFolder, source: FolderEventSource): Promise<void> {
    try {
      for await (const event of source) this.#take(open, event);
    } catch (error) {
      this.#log.write("warn", `The watch of ${open.folder} has failed; it is begun anew`, {
        error,
      });
    }
    // Ended by itself: it is tried again with the next check, and told where that fails.
    open.source = undefined;
  }

  #renew(open: OpenFolder): void {
    open.isStale = true;
    this.#settle();
  }

  #take(open: OpenFolder, { kind, paths, flag }: Deno.FsEvent): void {
    if (kind === "access") return;
    this.#bursts.count();
    if (flag === "rescan") void this.#uncertain(() => true);
    // Removals are reported to every watch, whatever its folder.
    const inside = paths.filter((path) => isBelow(path, open.folder));
    // A folder that was removed or moved sends no more events, even when it comes back.
    if ((kind === "remove" || kind === "rename") && inside.includes(open.folder)) this.#renew(open);
    if (open.recursive && (kind === "create" || kind === "rename")) {
      this.#newFolders.note(inside.filter((path) => path !== open.folder));
    }
    for (const request of inside.length === 0 ? [] : open.requests) {
      if (!this.#requests.has(request)) continue;
      const concerning = concerningPaths(request, inside);
      if (concerning.length > 0) request.listener.changed(concerning);
    }
  }

  async #uncertain(isMeant: (request: Request) => boolean): Promise<void> {
    await Promise.all(
      [...this.#requests].filter(isMeant).map(({ listener }) => listener.uncertain()),
    );
  }

  /**
   * As long as anything is watched: a watch follows the folder that it began with, and that another one is there now, or
   * none, may go unreported. What cannot be watched is looked at.
   */
  async #check(signal: AbortSignal): Promise<void> {
    while (await sleepUnlessAborted(this.#clock, CHECK_MS, signal)) {
      const now = this.#clock.now();
      for (const open of this.#folders) {
        const identity = identityAt(open.folder);
        const isOther = identity !== undefined && identity !== open.identity;
        const isRetry = open.source === undefined && open.retryAt <= now;
        if (isRetry || isOther && open.identity !== undefined) this.#renew(open);
      }
      if (now - this.#probedAt >= RETRY_MS) {
        this.#probedAt = now;
        await this.#system.check();
      }
      await this.#settling;
      const unwatched = new Set(
        this.#folders.flatMap((open) => open.source === undefined ? open.requests : []),
      );
      if (unwatched.size === 0 || now < this.#restUntil) continue;
      await this.#uncertain((request) => unwatched.has(request));
      this.#restUntil = this.#clock.now() + this.#restAfter(now);
    }
  }

  #endChecks(): void {
    this.#checks.abort();
    this.#checks = new AbortController();
    this.#checking = undefined;
  }

  #restAfter(start: number): number {
    return Math.min(LONGEST_REST_MS, REST_FACTOR * (this.#clock.now() - start));
  }

  /** New folders: in one that is watched as a list they are watched by beginning anew. */
  async #takeNew(folders: readonly string[]): Promise<void> {
    for (const folder of folders) {
      const { hasLinks } = await surveyFolder(folder, { recursive: true });
      for (const open of this.#folders) {
        const isIn = open.recursive && isBelow(folder, open.folder);
        // A link that was followed may have taken the events of any watch.
        if (hasLinks || isIn && open.source?.isListed === true) open.isStale = true;
      }
    }
    await this.#settle();
  }
}
