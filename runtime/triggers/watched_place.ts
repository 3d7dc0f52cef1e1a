// One watched path, whatever is there: a folder, a file, or nothing yet. Follows it when it vanishes and comes back, and
// tells how its files change. When it is scanned is left to PlaceScans, what is known of it to SeenPlace.
import type { Clock } from "../clock.ts";
import { describeTooLarge } from "../agents/watch_path.ts";
import { holdsMoreThan } from "../files/folder_size.ts";
import type { ServiceLog } from "../service_log/service_log.ts";
import type { Transition } from "./change_folding.ts";
import type { FolderView } from "./folder_view.ts";
import type { FolderWatches } from "./folder_watches.ts";
import type { FirstRead, ScanResult } from "./scan_result.ts";
import { PlaceScans } from "./place_scans.ts";
import { SeenPlace } from "./seen_place.ts";
import { findWatchedRoot, type WatchedRoot } from "./watched_root.ts";

/** Is told what becomes of a watched path. */
export interface PlaceListener {
  changed(changes: readonly Transition[]): void;
  /** The path is there, for the first time or again; what is different from the last time. */
  appeared(changes: readonly Transition[]): void;
  /** The path is gone as a whole. Its files count as they were until it is back: a drive may just not be mounted. */
  vanished(): void;
  /** Something could be read for the first time, after it could not be; or is gone. */
  readAtLast(firstRead: FirstRead): void;
  /** There is too much at the path: from now on nothing is watched there. */
  refused(reason: string): void;
}

/** What places share. */
export interface PlacePorts {
  watches: FolderWatches;
  clock: Clock;
  log: ServiceLog;
  /** How many files and folders may be at the path. */
  mostEntries: number;
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
  readonly #scans: PlaceScans;
  readonly #seen = new SeenPlace();
  #there: { root: WatchedRoot; view: FolderView } | undefined;
  #unwatch: (() => void) | undefined;
  #isOpening = true;
  #isUnreachable = false;
  #refusal: string | undefined;

  constructor(place: { path: string; recursive: boolean }, ports: PlacePorts) {
    this.path = place.path;
    this.#recursive = place.recursive;
    this.#ports = ports;
    this.#scans = new PlaceScans(ports.clock, {
      check: () => this.#check(),
      scanAll: () => this.#scan((view) => view.scanAll()),
      scan: (paths) => this.#scan((view) => view.scan(paths)),
      unread: () => this.#seen.unread,
      renew: () => this.#renew(),
      failed: (error) =>
        ports.log.write("error", `Cannot scan the watched path ${this.path}`, { error }),
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

  /** Why nothing is watched at the path: there is too much. It stays so, whatever becomes of it. */
  get refusal(): string | undefined {
    return this.#refusal;
  }

  /** What is known of it, as last seen. */
  get seen(): Omit<SeenPlace, "viewOf"> {
    return this.#seen;
  }

  /** Takes in what is there. From then on changes are told. Throws when that was abandoned: only a part is known then. */
  async open(): Promise<void> {
    await this.check();
    this.#scans.signal.throwIfAborted();
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
    await this.#scans.check();
  }

  /** Looks at those of these paths (absolute, real) that lie in it, as if an event had named them. */
  async scan(paths: readonly string[]): Promise<void> {
    await this.#scans.scan(paths);
  }

  /** Ends what it is doing, if it has not got to know yet what is there. */
  abandonOpening(): void {
    if (this.#isOpening) this.#scans.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#scans.end();
    this.#unwatch?.();
    await this.#scans[Symbol.asyncDispose]();
  }

  async #scan(work: (view: FolderView) => Promise<ScanResult>): Promise<void> {
    if (this.#there === undefined) return;
    const { view } = this.#there;
    const result = await work(view);
    if (view.isTooLarge) this.#refuse();
    else this.#take("changed", result);
  }

  /** Follows what is there now. Whether that is what was there before. */
  async #check(): Promise<boolean> {
    if (this.#refusal !== undefined) return false;
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
    const { watches, isSkipped, mostEntries: most } = this.#ports;
    const { signal } = this.#scans;
    const recursive = this.#recursive && found.only === undefined;
    const isFolder = found.only === undefined;
    // First: a watch of very many folders takes long to begin, and the system has a limit for all of them.
    if (isFolder && await holdsMoreThan(found.folder, { most, recursive, isSkipped, signal })) {
      return this.#refuse();
    }
    const view = this.#seen.viewOf(found, { recursive, isSkipped, signal, most });
    this.#there = { root: found, view };
    const unwatch = await watches.watch({ folder: found.folder, recursive }, {
      changed: (paths) => {
        void this.#scans.scan(paths);
        // The folder itself: it may be gone, or another one by now.
        if (paths.includes(found.folder)) void this.#scans.scanAll();
      },
      uncertain: () => this.#scans.scanAll(),
    });
    this.#unwatch = unwatch;
    if (signal.aborted) return unwatch();
    const result = await view.scanAll();
    if (view.isTooLarge) return this.#refuse();
    if (this.#isOpening) return this.#follow(result);
    this.#take("appeared", result);
    // Of a folder that is just being filled the first scan may have missed the rest.
    this.#scans.rescanSoon([found.folder]);
  }

  #refuse(): void {
    this.#lose();
    this.#refusal = describeTooLarge(this.path, this.#ports.mostEntries);
    for (const listener of this.#listeners) listener.refused(this.#refusal);
  }

  #lose(): void {
    if (this.#there === undefined) return;
    this.#unwatch?.();
    this.#unwatch = undefined;
    this.#there = undefined;
    for (const listener of this.#listeners) listener.vanished();
  }

  #take(what: "changed" | "appeared", result: ScanResult): void {
    const { changes, firstRead } = result.sort();
    if (what === "appeared" || changes.length > 0) {
      for (const listener of this.#listeners) listener[what](changes);
    }
    if (firstRead !== undefined) {
      for (const listener of this.#listeners) listener.readAtLast(firstRead);
    }
    if (result.newFolders.length > 0) this.#scans.rescanSoon(result.newFolders);
    this.#follow(result);
  }

  /** Sees to what cannot be read. */
  #follow({ lost, reason, hasFoundFolder }: ScanResult): void {
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
    if (first !== undefined || hasFoundFolder) this.#scans.reread({ renewed: hasFoundFolder });
  }

  #renew(): boolean {
    if (this.#there === undefined) return false;
    this.#ports.watches.renew(this.#there.root.folder);
    return true;
  }
}
