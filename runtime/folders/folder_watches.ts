// Watches folders for all parts of the process. Listeners get the paths of possible changes, and a request to scan whenever
// events may be lost: the system drops events of a burst, often silently (half of 5,000 new files). Folders that cannot be
// watched are scanned at intervals instead.
//
// Decision: no two open watches overlap. All of Deno's watches share one watcher (measured with 2.9.6): closing a watch
// silently ends the events of watches above or below it. So a folder inside a watched folder has no watch of its own, and
// old watches are closed before new ones are opened.
import { sleepUnlessAborted } from "../../base/bounded_wait.ts";
import { type Clock, monotonicNow } from "../../base/clock.ts";
import { identityAt, MISSING } from "../../base/files/folder_identity.ts";
import { isBelow } from "../../base/files/path_below.ts";
import { SerialQueue } from "../../base/serial_queue.ts";
import type { ServiceLog } from "../service_log/service_log.ts";
import { coverOf, FolderCover, type WatchedFolder } from "./folder_cover.ts";
import {
  describeWatchFailure,
  type FolderEventSource,
  type OpenFolderEvents,
  surveyFolder,
  SystemWatches,
} from "./system_watches.ts";

const CHECK_MS = 2_000;
/** The interval at which a folder that cannot be watched is tried again. */
const RETRY_MS = 60_000;
/** The number of events between two checks above which some may have been lost. */
const BURST_EVENTS = 300;
/** The pause after a scan for lost events, as a multiple of its duration, up to LONGEST_REST_MS. */
const REST_FACTOR = 10;
const LONGEST_REST_MS = 60_000;

/** Receives the events of a watched folder. */
export interface FolderListener {
  /** Called if something may have changed at these paths. They are the folder or below it. */
  changed(paths: readonly string[]): void;
  /** Called if anything may have changed. The promise resolves when the listener has scanned the folder. */
  uncertain(): Promise<void>;
}

/** One request to watch a folder. */
interface Request {
  /** The folder to watch. If several paths lead to the same folder, this is the path of the first request. */
  watched: WatchedFolder;
  /** The path of the folder as given in the request. It may differ from the path in `watched`. */
  folder: string;
  listener: FolderListener;
  /** True until the listener receives its first event. It cannot have missed an event before that. */
  isNew: boolean;
}

/** A folder that is watched, or scanned at intervals. */
interface OpenFolder extends WatchedFolder {
  /** The identity of the folder at the last check; undefined if unknown. */
  identity: string | undefined;
  /** The source of events; undefined if the folder cannot be watched at present. */
  source: FolderEventSource | undefined;
  retryAt: number;
  /** Resolves when the watch has ended. */
  ended: Promise<void>;
  isStale: boolean;
  /** The requests that receive the events of this folder. */
  requests: Request[];
}

/** Watches folders for any number of listeners. */
export class FolderWatches implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #log: ServiceLog;
  readonly #system: SystemWatches;
  readonly #open: OpenFolderEvents;
  readonly #requests = new Set<Request>();
  #folders: OpenFolder[] = [];
  readonly #settling = new SerialQueue();
  /** The next queued update of the watches. It includes all requests made before it starts. */
  #nextSettling: Promise<void> | undefined;
  /** Aborts the periodic checks; undefined if no folder is watched. */
  #checks: AbortController | undefined;
  #checking: Promise<void> | undefined;
  /** The number of events since the last check. */
  #events = 0;
  /** The paths of new folders since the last check. */
  #newFolders: string[] = [];
  /** The time before which no scan for lost events starts, in monotonic milliseconds. */
  #restUntil = 0;
  #probedAt = -Infinity;
  /** True if a failure to watch a folder was logged and not all folders can be watched yet. */
  #isWarned = false;

  /** Creates the watches. SystemWatches explains `probeFolder`. `open` replaces the system's watches in tests. */
  constructor({ clock, log, probeFolder, open }: {
    clock: Clock;
    log: ServiceLog;
    probeFolder: string;
    open?: OpenFolderEvents;
  }) {
    this.#clock = clock;
    this.#log = log;
    this.#system = new SystemWatches(probeFolder);
    this.#open = open ?? ((folder, options) => this.#system.open(folder, options));
  }

  /** Watches a folder, or scans it at intervals, until the returned function is called. Resolves when this has begun. */
  async watch({ folder, recursive }: WatchedFolder, listener: FolderListener): Promise<() => void> {
    const watched = { folder: this.#watchedPathOf(folder), recursive };
    const request = { watched, folder, listener, isNew: true };
    this.#requests.add(request);
    await this.#settle();
    return () => {
      this.#requests.delete(request);
      void this.#settle();
    };
  }

  /** Reopens the watches that contain a folder, because formerly unreadable subfolders are not watched yet. */
  reopen(folder: string): void {
    for (const open of this.#folders) if (isBelow(folder, open.folder)) this.#renew(open);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#requests.clear();
    await this.#settle();
    await this.#checking;
    await this.#system[Symbol.asyncDispose]();
  }

  /** Returns the path under which the same folder is already watched (as with bind mounts), otherwise `folder`. */
  #watchedPathOf(folder: string): string {
    const identity = identityAt(folder);
    const same = identity === undefined || identity === MISSING
      ? undefined
      : this.#folders.find((open) => open.identity === identity);
    return same?.folder ?? folder;
  }

  /** Opens and closes watches according to the requests. */
  #settle(): Promise<void> {
    return this.#nextSettling ??= this.#settling.run(() => {
      this.#nextSettling = undefined;
      return this.#settleNow();
    });
  }

  async #settleNow(): Promise<void> {
    const requests = [...this.#requests];
    const wanted = coverOf(requests.map(({ watched }) => watched));
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
    const covering = new FolderCover(this.#folders);
    for (const one of this.#folders) one.requests = [];
    for (const one of requests) covering.covering(one.watched)?.requests.push(one);
    if (this.#requests.size === 0) {
      this.#checks?.abort();
      this.#checks = undefined;
    } else if (this.#checks === undefined) {
      this.#checks = new AbortController();
      this.#checking = this.#check(this.#checks.signal);
    }
    if (this.#isWarned && this.#folders.every(({ source }) => source !== undefined)) {
      this.#isWarned = false;
      this.#log.write("info", "All folders can be watched again");
    }
    // Events between the end of an old watch and the start of a new one are lost, so a scan follows.
    const anew = new FolderCover(opened);
    void this.#scan(
      requests.filter((one) => !one.isNew && anew.covering(one.watched) !== undefined),
    );
    for (const one of requests) one.isNew = false;
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
      // The folder was removed just before the watch. Listeners notice that in their next scan.
      const isGone = error instanceof Deno.errors.NotFound;
      open.retryAt = monotonicNow(this.#clock) + (isGone ? 0 : RETRY_MS);
      if (isGone || this.#isWarned) return open;
      this.#isWarned = true;
      const instead =
        "Such folders are scanned every 2 seconds instead, and tried again every minute.";
      this.#log.write("warn", `Cannot watch ${folder}: ${describeWatchFailure(error)} ${instead}`);
    }
    return open;
  }

  async #listen(open: OpenFolder, source: FolderEventSource): Promise<void> {
    try {
      for await (const { kind, paths, flag } of source) {
        if (kind === "access") continue;
        this.#events++;
        if (flag === "rescan") void this.#scan([...this.#requests]);
        // The system reports removals to every watch, so the paths are filtered.
        const inside = paths.filter((path) => isBelow(path, open.folder));
        // A watch of a removed or moved folder gets no more events, even if the folder is back.
        if (/remove|rename/.test(kind) && inside.includes(open.folder)) this.#renew(open);
        if (open.recursive && /create|rename/.test(kind)) {
          this.#newFolders.push(...inside.filter(isFolder));
        }
        for (const request of inside.length === 0 ? [] : open.requests) {
          const { watched, folder, listener } = request;
          const concerning = inside.filter((path) => isBelow(path, watched.folder))
            .map((path) => folder + path.slice(watched.folder.length));
          if (concerning.length > 0 && this.#requests.has(request)) listener.changed(concerning);
        }
      }
    } catch (error) {
      this.#log.write("warn", `The watch of ${open.folder} has failed; it is begun anew`, {
        error,
      });
    }
    // The watch ended with an error. The next check tries again and logs a failure.
    open.source = undefined;
  }

  #renew(open: OpenFolder): void {
    open.isStale = true;
    void this.#settle();
  }

  async #scan(requests: readonly Request[]): Promise<void> {
    await Promise.all(requests.map(({ listener }) => listener.uncertain()));
  }

  async #check(signal: AbortSignal): Promise<void> {
    while (await sleepUnlessAborted(this.#clock, CHECK_MS, signal)) {
      const now = monotonicNow(this.#clock);
      for (const open of this.#folders) {
        // A watch stays with its folder. Replacing the folder at its path may cause no event.
        const identity = identityAt(open.folder);
        const isOther = identity !== undefined && identity !== open.identity;
        const isRetry = open.source === undefined && open.retryAt <= now;
        if (isRetry || isOther && open.identity !== undefined) this.#renew(open);
      }
      await this.#reopenForNewFolders();
      if (now - this.#probedAt >= RETRY_MS) {
        this.#probedAt = now;
        await this.#system.check();
      }
      await this.#settling.settled();
      await this.#requestScans();
    }
  }

  /** Reopens the watches that list folders and lack a new folder, or all watches if a new folder contains links. */
  async #reopenForNewFolders(): Promise<void> {
    const folders = coverOf(this.#newFolders.map((folder) => ({ folder, recursive: true })));
    this.#newFolders = [];
    for (const { folder } of folders) {
      const { hasLinks } = await surveyFolder(folder, { recursive: true });
      for (const open of this.#folders) {
        const isIn = open.recursive && isBelow(folder, open.folder);
        // A watch that followed a link may have taken over the events of any other watch.
        if (hasLinks || isIn && open.source?.isListed === true) this.#renew(open);
      }
    }
  }

  /** Requests scans: of everything after a burst of events, otherwise of the folders that cannot be watched. */
  async #requestScans(): Promise<void> {
    const start = monotonicNow(this.#clock);
    const isBurst = this.#events > BURST_EVENTS;
    if (!isBurst || start >= this.#restUntil) this.#events = 0;
    if (start < this.#restUntil) return;
    const unwatched = this.#folders.filter(({ source }) => source === undefined);
    await this.#scan(isBurst ? [...this.#requests] : unwatched.flatMap(({ requests }) => requests));
    const end = monotonicNow(this.#clock);
    this.#restUntil = end + Math.min(LONGEST_REST_MS, REST_FACTOR * (end - start));
  }
}

function isFolder(path: string): boolean {
  try {
    return Deno.lstatSync(path).isDirectory;
  } catch {
    return false; // The folder is gone or unreachable.
  }
}
