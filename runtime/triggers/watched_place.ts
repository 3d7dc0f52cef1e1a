// One watched path, whatever is there: a folder, a file, or nothing yet. Follows it when it vanishes and comes back, and
// tells how its files change. When it is looked at is left to PlaceLooks, what is known of it to SeenPlace.
import type { Clock } from "../clock.ts";
import type { ServiceLog } from "../service_log/service_log.ts";
import type { Transition } from "./change_folding.ts";
import type { FolderView } from "./folder_view.ts";
import type { FolderWatches } from "./folder_watches.ts";
import type { FirstRead, Look } from "./look.ts";
import { PlaceLooks } from "./place_looks.ts";
import { SeenPlace } from "./seen_place.ts";
import { findWatchedRoot, type WatchedRoot } from "./watched_root.ts";

/** Who wants to know. */
export interface PlaceListener {
  changed(changes: readonly Transition[]): void;
  /** The path is there, for the first time or again; what is different from the last time. */
  appeared(changes: readonly Transition[]): void;
  /** The path is gone as a whole. Its files count as they were until it is back: a drive may just not be mounted. */
  vanished(): void;
  /** Something could be read for the first time, after it could not be; or is gone. */
  readAtLast(firstRead: FirstRead): void;
}

/** What places share. */
export interface PlacePorts {
  watches: FolderWatches;
  clock: Clock;
  log: ServiceLog;
  /** Whether a place (absolute, real) is nobody's to watch. */
  isClosed: (path: string) => boolean;
  /** Whether what lies there, inside of a watched folder, is left out. */
  isSkipped: (path: string) => boolean;
}

/** A watched path. */
export class WatchedPlace implements AsyncDisposable {
  /** As it was named, absolute. */
  readonly path: string;
  readonly #recursive: boolean;
  readonly #ports: PlacePorts;
  readonly #listeners = new Set<PlaceListener>();
  readonly #looks: PlaceLooks;
  readonly #seen = new SeenPlace();
  #there: { root: WatchedRoot; view: FolderView } | undefined;
  #unwatch: (() => void) | undefined;
  #isOpening = true;
  #isUnreachable = false;

  constructor(place: { path: string; recursive: boolean }, ports: PlacePorts) {
    this.path = place.path;
    this.#recursive = place.recursive;
    this.#ports = ports;
    this.#looks = new PlaceLooks(ports.clock, {
      check: () => this.#check(),
      lookAtAll: () => this.#look((view) => view.lookAtAll()),
      lookAt: (paths) => this.#look((view) => view.look(paths)),
      unread: () => this.#seen.unread,
      renew: () => this.#renew(),
      failed: (error) =>
        ports.log.write("error", `Cannot look at the watched path ${this.path}`, { error }),
    });
  }

  /** Whether there is anything at the path. */
  get isThere(): boolean {
    return this.#there !== undefined;
  }

  /** Whether it cannot be told what is at the path; it was never seen then. */
  get isUnreachable(): boolean {
    return this.#isUnreachable && !this.#seen.isKnown;
  }

  /** What is known of it, as last seen. */
  get seen(): Omit<SeenPlace, "viewOf"> {
    return this.#seen;
  }

  /** Takes in what is there. From then on changes are told. Throws when that was abandoned: only a part is known then. */
  async open(): Promise<void> {
    await this.check();
    this.#looks.signal.throwIfAborted();
    this.#isOpening = false;
  }

  listen(listener: PlaceListener): void {
    this.#listeners.add(listener);
  }

  leave(listener: PlaceListener): void {
    this.#listeners.delete(listener);
  }

  /** Looks whether the path is still there and still the same. */
  async check(): Promise<void> {
    await this.#looks.check();
  }

  /** Ends what it is doing, if it has not got to know yet what is there. */
  abandonOpening(): void {
    if (this.#isOpening) this.#looks.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#looks.end();
    this.#unwatch?.();
    await this.#looks[Symbol.asyncDispose]();
  }

  async #look(work: (view: FolderView) => Promise<Look>): Promise<void> {
    if (this.#there !== undefined) this.#take("changed", await work(this.#there.view));
  }

  /** Follows what is there now. Whether that is what was there before. */
  async #check(): Promise<boolean> {
    const found = await this.#find();
    if (found === undefined || found.identity !== this.#there?.root.identity) this.#lose();
    if (found === undefined) return false;
    if (this.#there !== undefined) return true;
    await this.#enter(found);
    return false;
  }

  async #find(): Promise<WatchedRoot | undefined> {
    const { isClosed, log } = this.#ports;
    const former = this.#there?.root;
    try {
      const found = await findWatchedRoot(this.path, { isClosed, former });
      this.#isUnreachable = false;
      return found;
    } catch (error) {
      if (!this.#isUnreachable) {
        log.write("warn", `Cannot tell what is at ${this.path}, which is watched`, { error });
      }
      this.#isUnreachable = true;
      return former;
    }
  }

  async #enter(found: WatchedRoot): Promise<void> {
    const { watches, isSkipped } = this.#ports;
    const { signal } = this.#looks;
    const recursive = this.#recursive && found.only === undefined;
    const view = this.#seen.viewOf(found, { recursive, isSkipped, signal });
    this.#there = { root: found, view };
    const unwatch = await watches.watch({ folder: found.folder, recursive }, {
      changed: (paths) => {
        void this.#looks.lookAt(paths);
        // The folder itself: it may be gone, or another one by now.
        if (paths.includes(found.folder)) void this.#looks.lookAtAll();
      },
      uncertain: () => this.#looks.lookAtAll(),
    });
    this.#unwatch = unwatch;
    if (signal.aborted) return unwatch();
    if (this.#isOpening) return this.#follow(await view.lookAtAll());
    this.#take("appeared", await view.lookAtAll());
    // Of a folder that is just being filled the first look may have missed the rest.
    this.#looks.lookAgainAt([found.folder]);
  }

  #lose(): void {
    if (this.#there === undefined) return;
    this.#unwatch?.();
    this.#unwatch = undefined;
    this.#there = undefined;
    for (const listener of this.#listeners) listener.vanished();
  }

  #take(what: "changed" | "appeared", look: Look): void {
    const { changes, firstRead } = look.sort();
    if (what === "appeared" || changes.length > 0) {
      for (const listener of this.#listeners) listener[what](changes);
    }
    if (firstRead !== undefined) {
      for (const listener of this.#listeners) listener.readAtLast(firstRead);
    }
    if (look.newFolders.length > 0) this.#looks.lookAgainAt(look.newFolders);
    this.#follow(look);
  }

  /** Sees to what cannot be read. */
  #follow({ lost, reason, hasFoundFolder }: Look): void {
    const [first, ...others] = lost;
    if (first !== undefined) {
      const more = others.length === 0 ? "" : ` and ${others.length} more`;
      this.#ports.log.write(
        "warn",
        `Cannot read ${first}${more}, which is watched; what is known of it counts until it can be read`,
        { error: reason },
      );
    }
    // What could not be read may not be watched, either.
    if (first !== undefined || hasFoundFolder) this.#looks.reread({ renewed: hasFoundFolder });
  }

  #renew(): boolean {
    if (this.#there === undefined) return false;
    this.#ports.watches.renew(this.#there.root.folder);
    return true;
  }
}
