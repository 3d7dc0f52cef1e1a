// The watched paths of all agents, each one watched once: shared by those who name the same path, and checked from time
// to time, because a path may come, go or lead somewhere else without any event.
import { sleepUnlessAborted } from "../../base/bounded_wait.ts";
import { knownRealPath } from "../../base/files/known_real_path.ts";
import { isBelow } from "../../base/files/path_below.ts";
import { type PlacePorts, WatchedPlace } from "./watched_place.ts";

const CHECK_MS = 2_000;

/** What places are watched with. */
export type WatchedPlacesPorts = Omit<PlacePorts, "isClosed" | "isSkipped"> & {
  /** Folders whose content nobody may watch, absolute. */
  closed: readonly string[];
  /** Whether a folder of this name is left out, unless everything is wanted. */
  isIgnored: (path: string) => boolean;
};

/** What is to be watched. */
export interface WantedPlace {
  /** Absolute. */
  path: string;
  recursive: boolean;
  /** Also the folders that are left out elsewhere. */
  everything: boolean;
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
export class WatchedPlaces implements AsyncDisposable {
  readonly #ports: WatchedPlacesPorts;
  readonly #shares = new Map<string, Share>();
  #checks = new AbortController();
  #checking: Promise<void> | undefined;

  constructor(ports: WatchedPlacesPorts) {
    this.#ports = ports;
  }

  /** Whether any place is there. */
  get isWatching(): boolean {
    return [...this.#shares.values()].some(({ place }) => place.isThere);
  }

  /** Joins a place. What is there when this resolves is known; what changes from then on is reported. */
  async join(wanted: WantedPlace): Promise<PlaceLease> {
    const key = JSON.stringify([wanted.path, wanted.recursive, wanted.everything]);
    const share = this.#shares.get(key) ?? this.#open(key, wanted);
    share.count++;
    await share.opened;
    return {
      place: share.place,
      release: async () => {
        share.count--;
        if (share.count > 0) return;
        this.#shares.delete(key);
        if (this.#shares.size === 0) await this.#stopChecks();
        await share.place[Symbol.asyncDispose]();
      },
    };
  }

  /** Ends the opening of places: it may take long, and nobody wants them any more. */
  abandonOpening(): void {
    for (const { place } of this.#shares.values()) place.abandonOpening();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stopChecks();
    const shares = [...this.#shares.values()];
    this.#shares.clear();
    await Promise.all(shares.map(({ place }) => place[Symbol.asyncDispose]()));
  }

  #open(key: string, { path, recursive, everything }: WantedPlace): Share {
    const { isIgnored, log, closed: named } = this.#ports;
    // A closed folder may be reached by its real path as well.
    const closed = [...named, ...named.map(knownRealPath)];
    const isClosed = (one: string) => closed.some((folder) => isBelow(one, folder));
    const place = new WatchedPlace({ path, recursive }, {
      ...this.#ports,
      isClosed,
      isSkipped: (one) => isClosed(one) || !everything && isIgnored(one),
    });
    if (isClosed(knownRealPath(path))) {
      log.write("warn", `Nothing is watched at ${path}: this folder is closed to agents`);
    }
    const share = { place, opened: place.open(), count: 0 };
    this.#shares.set(key, share);
    this.#checking ??= this.#check(this.#checks.signal);
    return share;
  }

  async #check(signal: AbortSignal): Promise<void> {
    while (await sleepUnlessAborted(this.#ports.clock, CHECK_MS, signal)) {
      await Promise.all([...this.#shares.values()].map(({ place }) => place.check()));
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
