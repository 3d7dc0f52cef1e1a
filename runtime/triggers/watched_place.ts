// One watched path, whatever is there: a folder, a file, or nothing yet. Follows it when it vanishes and comes back, and
// tells how its files change.
import { join } from "node:path";
import type { Clock } from "../clock.ts";
import type { ServiceLog } from "../service_log/service_log.ts";
import type { Stamp, Transition } from "./change_folding.ts";
import { FolderView } from "./folder_view.ts";
import type { FolderWatches } from "./folder_watches.ts";
import type { FirstRead, Look } from "./look.ts";
import { Rereading } from "./rereading.ts";
import { findWatchedRoot, type WatchedRoot } from "./watched_root.ts";

/** After this long a folder that appeared is looked at once more: its watch began a little later than its life. */
const SECOND_LOOK_MS = 500;

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

/** A watched path. Looks at the disk one thing after the other. */
export class WatchedPlace implements AsyncDisposable {
  /** As it was named, absolute. */
  readonly path: string;
  readonly #recursive: boolean;
  readonly #ports: PlacePorts;
  readonly #listeners = new Set<PlaceListener>();
  readonly #over = new AbortController();
  #root: WatchedRoot | undefined;
  /** Outlives the root: see PlaceListener.vanished. */
  #view: { of: WatchedRoot; view: FolderView } | undefined;
  #unwatch: (() => void) | undefined;
  #isOpening = true;
  /** What is to be looked at: whether the path is still what it was, paths, or everything. */
  #isCheckDue = false;
  #isAllDue = false;
  #due = new Set<string>();
  #working: Promise<void> | undefined;
  #secondLook: Promise<void> | undefined;
  readonly #rereading: Rereading;
  #isRenewalDue = false;
  #isUnreachable = false;

  constructor(place: { path: string; recursive: boolean }, ports: PlacePorts) {
    this.path = place.path;
    this.#recursive = place.recursive;
    this.#ports = ports;
    this.#rereading = new Rereading(ports.clock, () => this.#reread());
  }

  /** Whether there is anything at the path. */
  get isThere(): boolean {
    return this.#root !== undefined;
  }

  /** The watched file, or undefined where that is a folder. Real. */
  get file(): string | undefined {
    const { folder, only } = this.#view?.of ?? {};
    return folder === undefined || only === undefined ? undefined : join(folder, only);
  }

  /** The real folder of its files. */
  get folder(): string | undefined {
    return this.#view?.of.folder;
  }

  /** Its files, as last seen. */
  files(): Iterable<[path: string, stamp: Stamp]> {
    return this.#view?.view.files() ?? [];
  }

  stampAt(path: string): Stamp | null {
    return this.#view?.view.stampAt(path) ?? null;
  }

  /** Whether it cannot be told what is at the path; it was never seen then. */
  get isUnreachable(): boolean {
    return this.#isUnreachable && this.#view === undefined;
  }

  /** Files and folders in it that cannot be read now. */
  get unread(): string[] {
    return this.#view?.view.unread ?? [];
  }

  /** Files and folders in it that could never be read. */
  get hidden(): string[] {
    return this.#view?.view.hidden ?? [];
  }

  /** Whether there may be a file that could not be seen yet. */
  hides(path: string): boolean {
    return this.#view?.view.hides(path) ?? false;
  }

  /** Takes in what is there. From then on changes are told. Throws when that was abandoned: only a part is known then. */
  async open(): Promise<void> {
    await this.check();
    this.#over.signal.throwIfAborted();
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
    this.#isCheckDue = true;
    await this.#work();
  }

  /** Ends what it is doing, if it has not got to know yet what is there. */
  abandonOpening(): void {
    if (this.#isOpening) this.#over.abort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    this.#unwatch?.();
    await this.#working;
    await this.#secondLook;
    await this.#rereading[Symbol.asyncDispose]();
  }

  #work(): Promise<void> {
    return this.#working ??= this.#workOff();
  }

  async #workOff(): Promise<void> {
    // Not before the caller has this promise in his hands.
    await Promise.resolve();
    while (!this.#over.signal.aborted) {
      try {
        if (this.#isCheckDue || this.#isAllDue) await this.#settle();
        else if (this.#due.size > 0) await this.#look();
        else break;
      } catch (error) {
        this.#ports.log.write("error", `Cannot look at the watched path ${this.path}`, { error });
      }
    }
    this.#working = undefined;
  }

  async #look(): Promise<void> {
    const paths = [...this.#due];
    this.#due.clear();
    if (this.#root === undefined || this.#view === undefined) return;
    this.#take("changed", await this.#view.view.look(paths));
  }

  async #settle(): Promise<void> {
    const isAllDue = this.#isAllDue;
    this.#isCheckDue = this.#isAllDue = false;
    const found = await this.#find();
    if (found === undefined || found.identity !== this.#root?.identity) this.#lose();
    if (found === undefined) return;
    if (this.#root === undefined) {
      await this.#enter(found);
    } else if (isAllDue && this.#view !== undefined) {
      this.#due.clear();
      this.#take("changed", await this.#view.view.lookAtAll());
    }
  }

  async #find(): Promise<WatchedRoot | undefined> {
    const { isClosed, log } = this.#ports;
    try {
      const found = await findWatchedRoot(this.path, { isClosed, former: this.#root });
      this.#isUnreachable = false;
      return found;
    } catch (error) {
      if (!this.#isUnreachable) {
        log.write("warn", `Cannot tell what is at ${this.path}, which is watched`, { error });
      }
      this.#isUnreachable = true;
      return this.#root;
    }
  }

  async #enter(found: WatchedRoot): Promise<void> {
    const { watches } = this.#ports;
    const recursive = this.#recursive && found.only === undefined;
    this.#root = found;
    const view = this.#viewOf(found, recursive);
    const unwatch = await watches.watch({ folder: found.folder, recursive }, {
      changed: (paths) => {
        for (const path of paths) this.#due.add(path);
        // The folder itself: it may be gone, or another one by now.
        if (paths.includes(found.folder)) this.#isAllDue = true;
        void this.#work();
      },
      uncertain: () => {
        this.#isAllDue = true;
        return this.#work();
      },
    });
    this.#unwatch = unwatch;
    if (this.#over.signal.aborted) return unwatch();
    if (this.#isOpening) return this.#follow(await view.lookAtAll());
    this.#take("appeared", await view.lookAtAll());
    // Of a folder that is just being filled the first look may have missed the rest.
    this.#lookAgainLater([found.folder]);
  }

  /** The one there was, where it is of the same: what it knows is compared with. */
  #viewOf(root: WatchedRoot, recursive: boolean): FolderView {
    const { folder, only } = root;
    if (this.#view?.of.folder !== folder || this.#view.of.only !== only) {
      const { isSkipped } = this.#ports;
      const options = { recursive, only, isSkipped, signal: this.#over.signal };
      this.#view = { of: root, view: new FolderView(folder, options) };
    }
    return this.#view.view;
  }

  #lose(): void {
    if (this.#root === undefined) return;
    this.#unwatch?.();
    this.#unwatch = undefined;
    this.#root = undefined;
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
    if (look.newFolders.length > 0) this.#lookAgainLater(look.newFolders);
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
    this.#isRenewalDue ||= hasFoundFolder;
    if (first !== undefined || hasFoundFolder) this.#rereading.begin();
  }

  /** Whether there is anything left to read again. */
  async #reread(): Promise<boolean> {
    for (const path of this.#view?.view.unread ?? []) this.#due.add(path);
    await this.#work();
    if (this.#isRenewalDue && this.#root !== undefined) {
      this.#isRenewalDue = false;
      this.#ports.watches.renew(this.#root.folder);
    }
    return this.#view !== undefined && this.#view.view.unread.length > 0;
  }

  #lookAgainLater(folders: readonly string[]): void {
    const { clock } = this.#ports;
    const before = this.#secondLook;
    this.#secondLook = (async () => {
      await clock.sleep(SECOND_LOOK_MS, this.#over.signal).catch(() => {/* It is closed. */});
      await before;
      if (this.#over.signal.aborted) return;
      for (const folder of folders) this.#due.add(folder);
      void this.#work();
    })();
  }
}
