// The watched paths of all agents, each one watched once, however many name it.
import { type PlacePorts, type WantedPlace, WatchedPlace } from "./watched_place.ts";

interface Share {
  place: WatchedPlace;
  opened: Promise<void>;
  /** How many share it. */
  count: number;
}

/** All places. */
export class WatchedPlaces implements AsyncDisposable {
  readonly #ports: PlacePorts;
  readonly #shares = new Map<string, Share>();

  constructor(ports: PlacePorts) {
    this.#ports = ports;
  }

  /** Whether any place is there. */
  get isWatching(): boolean {
    return [...this.#shares.values()].some(({ place }) => place.isThere);
  }

  /** Joins a place. What is there when this resolves is known; what changes from then on is reported. */
  async join(wanted: WantedPlace): Promise<WatchedPlace> {
    const share = this.#shares.get(keyOf(wanted)) ?? this.#open(wanted);
    share.count++;
    await share.opened;
    return share.place;
  }

  /** Gives one share in a place back. */
  async leave({ wanted }: WatchedPlace): Promise<void> {
    const share = this.#shares.get(keyOf(wanted));
    if (share === undefined || --share.count > 0) return;
    this.#shares.delete(keyOf(wanted));
    await share.place[Symbol.asyncDispose]();
  }

  /** Ends the opening of places: it may take long, and nobody wants them any more. */
  abandonOpening(): void {
    for (const { place } of this.#shares.values()) place.abandonOpening();
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
