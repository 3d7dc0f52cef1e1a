// The watched paths of all agents, each one watched once: shared by those who name the same path, and checked from time
// to time, because a path may come, go or lead somewhere else without any event.
import { basename } from "node:path";
import { isIgnoredFolder, type WatchPath } from "../agents/watch_path.ts";
import type { Clock } from "../clock.ts";
import { knownRealPath } from "../files/known_real_path.ts";
import { isBelow } from "../files/path_below.ts";
import type { ServiceLog } from "../service_log/service_log.ts";
import type { FolderWatches } from "./folder_watches.ts";
import { WatchedPlace } from "./watched_place.ts";

const CHECK_MS = 2_000;

/** What the hub needs. */
export interface WatchHubPorts {
  watches: FolderWatches;
  clock: Clock;
  log: ServiceLog;
  /** Folders whose content nobody may watch, absolute. */
  closed: readonly string[];
  /** How many files and folders there may be at a path. */
  mostEntries: number;
}

/** A share in a place. */
export interface PlaceLease {
  place: WatchedPlace;
  /** Gives the share back. */
  release(): Promise<void>;
}

interface Share {
  place: WatchedPlace;
  opened: Promise<void>;
  /** How many share it. */
  count: number;
}

/** All places. */
export class WatchHub implements AsyncDisposable {
  readonly #ports: WatchHubPorts;
  readonly #places = new Map<string, Share>();
  #closed: readonly string[];
  #checks = new AbortController();
  #checking: Promise<void> | undefined;

  constructor(ports: WatchHubPorts) {
    this.#ports = ports;
    this.#closed = ports.closed;
  }

  /** Whether any place is there. */
  get isWatching(): boolean {
    return [...this.#places.values()].some(({ place }) => place.isThere);
  }

  /**
   * Joins the place of a path. What is there when this resolves is known; what changes from then on is reported. Folders
   * that are ignored elsewhere are left out, unless `everything` is wanted.
   */
  async join(
    { base, recursive }: WatchPath,
    { everything }: { everything: boolean },
  ): Promise<PlaceLease> {
    const key = JSON.stringify([base, recursive, everything]);
    const share = this.#places.get(key) ?? this.#open(key, { base, recursive, everything });
    share.count++;
    await share.opened;
    return {
      place: share.place,
      release: async () => {
        share.count--;
        if (share.count > 0) return;
        this.#places.delete(key);
        if (this.#places.size === 0) await this.#stopChecks();
        await share.place[Symbol.asyncDispose]();
      },
    };
  }

  /** Ends the opening of places: it may take long, and nobody wants them any more. */
  abandonOpening(): void {
    for (const { place } of this.#places.values()) place.abandonOpening();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stopChecks();
    const places = [...this.#places.values()];
    this.#places.clear();
    await Promise.all(places.map(({ place }) => place[Symbol.asyncDispose]()));
  }

  #open(
    key: string,
    { base, recursive, everything }: { base: string; recursive: boolean; everything: boolean },
  ): Share {
    const { watches, clock, log, mostEntries } = this.#ports;
    const isClosed = (path: string) => this.#closed.some((folder) => isBelow(path, folder));
    const place = new WatchedPlace({ path: base, recursive }, {
      watches,
      clock,
      log,
      mostEntries,
      isClosed,
      isSkipped: (path) => isClosed(path) || !everything && isIgnoredFolder(basename(path)),
    });
    this.#findClosed();
    if (isClosed(knownRealPath(base))) {
      log.write("warn", `Nothing is watched at ${base}: this folder is closed to agents`);
    }
    const opened = place.open();
    const share = { place, opened, count: 0 };
    this.#places.set(key, share);
    this.#checking ??= this.#check();
    return share;
  }

  /** A closed folder may be reached by its real path as well. */
  #findClosed(): void {
    const { closed } = this.#ports;
    this.#closed = [...new Set([...closed, ...closed.map(knownRealPath)])];
  }

  async #check(): Promise<void> {
    const { clock } = this.#ports;
    const { signal } = this.#checks;
    for (;;) {
      await clock.sleep(CHECK_MS, signal).catch(() => {/* Nothing is left to check. */});
      if (signal.aborted) return;
      await Promise.all([...this.#places.values()].map(({ place }) => place.check()));
    }
  }

  async #stopChecks(): Promise<void> {
    const [checks, checking] = [this.#checks, this.#checking];
    // First, so that a place that is opened meanwhile gets checks of its own.
    this.#checks = new AbortController();
    this.#checking = undefined;
    checks.abort();
    await checking;
  }
}
