// Shares the watches of paths among all agents. A path that several agents watch is watched once.
import { type PlacePorts, type WantedPlace, WatchedPlace } from "./watched_place.ts";

interface Share {
  place: WatchedPlace;
  opened: Promise<void>;
  /** The number of agents that share the watch. */
  count: number;
}

/** The shared watches of all paths. */
export class WatchedPlaces implements AsyncDisposable {
  readonly #ports: PlacePorts;
  readonly #shares = new Map<string, Share>();

  constructor(ports: PlacePorts) {
    this.#ports = ports;
  }

  /** True if at least one watched path exists. */
  get isWatching(): boolean {
    return [...this.#shares.values()].some(({ place }) => place.isThere);
  }

  /**
   * Returns the shared watch of a path, and opens it if needed. Resolves after the first scan, from which on changes are
   * reported.
   */
  async join(wanted: WantedPlace): Promise<WatchedPlace> {
    const share = this.#shares.get(keyOf(wanted)) ?? this.#open(wanted);
    share.count++;
    await share.opened;
    return share.place;
  }

  /** Ends the use of a watch by one agent. The watch is closed when no agent uses it. */
  async leave({ wanted }: WatchedPlace): Promise<void> {
    const share = this.#shares.get(keyOf(wanted));
    if (share === undefined || --share.count > 0) return;
    this.#shares.delete(keyOf(wanted));
    await share.place[Symbol.asyncDispose]();
  }

  /** Aborts the opening of all watches, which may take long. */
  cancelOpening(): void {
    for (const { place } of this.#shares.values()) place.cancelOpening();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#shares.values()].map(({ place }) => place[Symbol.asyncDispose]()));
  }

  #open(wanted: WantedPlace): Share {
    const place = new WatchedPlace(wanted, this.#ports);
    const share = { place, opened: place.open(), count: 0 };
    this.#shares.set(keyOf(wanted), share);
    return share;
  }
}

function keyOf({ path, recursive, ignored }: WantedPlace): string {
  return JSON.stringify([path, recursive, ignored]);
}
