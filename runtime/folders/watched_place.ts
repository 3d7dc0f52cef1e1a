// Watches one path, which may be a folder, a file, or missing, and reports the changes of its files. Also notices that the
// path was removed or created again. Requests for scans are merged, and scans run one at a time.
import { join } from "../../base/plain_path.ts";
import { sleepUnlessAborted } from "../../base/bounded_wait.ts";
import { type Clock, monotonicNow } from "../../base/clock.ts";
import { holdsMoreThan } from "../../base/files/folder_size.ts";
import { knownRealPath } from "../../base/files/known_real_path.ts";
import { isBelow } from "../../base/files/path_below.ts";
import type { ServiceLog } from "../service_log/service_log.ts";
import {
  FolderSnapshot,
  type ScanResult,
  type Stamp,
  type Transition,
  UNREAD,
} from "./folder_snapshot.ts";
import type { FolderListener, FolderWatches } from "./folder_watches.ts";
import { isSkipped } from "./ignored_names.ts";
import { findWatchedRoot, type WatchedRoot } from "./watched_root.ts";

/** The interval at which the path is checked. It may appear, be removed or change its target without an event. */
const CHECK_MS = 2_000;
/** The delay of the second scan of a new folder, which was created before its watch started. */
const SECOND_SCAN_MS = 500;
/** The delay before an unreadable path is tried again the first time. It doubles up to LONGEST_RETRY_MS. */
const FIRST_RETRY_MS = 2_000;
const LONGEST_RETRY_MS = 60_000;

/** A path to watch. */
export interface WantedPlace {
  /** The absolute path. */
  path: string;
  /** True to include all subfolders. */
  recursive: boolean;
  /** The names of folders to exclude, from foldersToSkip(). */
  ignored: readonly string[];
}

/** Receives the changes of a watched path. */
export interface PlaceListener {
  /** Called if files have changed, or if the path is there again or contains too many entries. */
  changed(place: WatchedPlace, changes: readonly Transition[]): void;
}

/** The collaborators shared by all places. */
export interface PlacePorts {
  watches: FolderWatches;
  clock: Clock;
  log: ServiceLog;
  /** The maximum number of files and folders at the path. */
  mostEntries: number;
  /** The absolute paths of folders whose content must not be watched. */
  closed: readonly string[];
}

/** The watch of one path, shared by all agents that watch it. */
export class WatchedPlace implements AsyncDisposable, FolderListener {
  readonly #ports: PlacePorts;
  readonly #closed: readonly string[];
  readonly #listeners = new Set<PlaceListener>();
  readonly #over = new AbortController();
  /** The folder or file that exists at the path; undefined if there is none. */
  #root: WatchedRoot | undefined;
  /** The last snapshot. Its files count as unchanged while the path is missing: a drive may be unmounted. */
  #snapshot: FolderSnapshot | undefined;
  #unwatch: (() => void) | undefined;
  #isOpening = true;
  #isUnreachable = false;
  #isTooLarge = false;
  #isCheckDue = false;
  readonly #due = new Set<string>();
  #working: Promise<void> | undefined;
  #secondScan = Promise.resolve();
  #checking: Promise<void> | undefined;
  #retryMs = FIRST_RETRY_MS;
  #retryAt = 0;

  constructor(readonly wanted: WantedPlace, ports: PlacePorts) {
    this.#ports = ports;
    // A folder that is closed to agents must not be watched under its real path either, to which links lead.
    this.#closed = [...ports.closed, ...ports.closed.map(knownRealPath)];
  }

  /** The absolute path, as the agent's file names it. */
  get path(): string {
    return this.wanted.path;
  }

  /** True if a file or folder exists at the path. */
  get isThere(): boolean {
    return this.#root !== undefined;
  }

  /** True if nothing is watched because the path contains too many entries. The value stays true. */
  get isTooLarge(): boolean {
    return this.#isTooLarge;
  }

  /** The path without links of the watched file; undefined for a folder. */
  get file(): string | undefined {
    const only = this.#snapshot?.options.only;
    return this.folder === undefined || only === undefined ? undefined : join(this.folder, only);
  }

  /** The path without links of the folder with the files; undefined if nothing ever existed at the path. */
  get folder(): string | undefined {
    return this.#snapshot?.root;
  }

  /** Returns every file with its last stamp; UNREAD for files that could never be read. */
  files(): Iterable<[path: string, stamp: Stamp]> {
    return this.#snapshot?.files() ?? (this.#isUnreachable ? [[this.path, UNREAD]] : []);
  }

  /** Returns true if a path, or a folder above it, cannot be read at present. */
  isUnread(path: string): boolean {
    return this.#snapshot?.isUnread(path) ?? this.#isUnreachable;
  }

  /** Reads the present content and starts to report changes. Throws after cancelOpening(), with an incomplete content. */
  async open(): Promise<void> {
    if (this.#isClosed(knownRealPath(this.path))) {
      const message = `Nothing is watched at ${this.path}: this folder is closed to agents`;
      this.#ports.log.write("warn", message);
    }
    await this.check();
    this.#over.signal.throwIfAborted();
    this.#isOpening = false;
    this.#checking = this.#checkRegularly();
  }

  /** Aborts open(). Does nothing after it has resolved. */
  cancelOpening(): void {
    if (this.#isOpening) this.#over.abort();
  }

  listen(listener: PlaceListener): void {
    this.#listeners.add(listener);
  }

  leave(listener: PlaceListener): void {
    this.#listeners.delete(listener);
  }

  /** Checks if the path leads to another file or folder now, and tries unreadable entries again. */
  check(): Promise<void> {
    this.#isCheckDue = true;
    const unread = this.#snapshot?.unread ?? [];
    const now = monotonicNow(this.#ports.clock);
    if (unread.length > 0 && now >= this.#retryAt) {
      this.#retryMs = Math.min(2 * this.#retryMs, LONGEST_RETRY_MS);
      this.#retryAt = now + this.#retryMs;
      for (const path of unread) this.#due.add(path);
    }
    return this.scan([]);
  }

  /** Scans the given paths in the watched folder. They are absolute and without links. */
  scan(paths: readonly string[]): Promise<void> {
    for (const path of paths) this.#due.add(path);
    return this.#working ??= this.#work();
  }

  changed(paths: readonly string[]): void {
    // An event of the folder itself may mean that it was removed or replaced.
    if (paths.some((path) => path === this.folder)) this.#isCheckDue = true;
    void this.scan(paths);
  }

  uncertain(): Promise<void> {
    this.#isCheckDue = true;
    return this.scan(this.folder === undefined ? [] : [this.folder]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    this.#unwatch?.();
    await this.#working;
    await this.#secondScan;
    await this.#checking;
  }

  async #work(): Promise<void> {
    await Promise.resolve(); // Gives the caller time to store this promise.
    while (!this.#over.signal.aborted && (this.#isCheckDue || this.#due.size > 0)) {
      try {
        if (this.#isCheckDue) await this.#follow();
        const snapshot = this.isThere && this.#due.size > 0 ? this.#snapshot : undefined;
        const isAll = snapshot !== undefined && this.#due.has(snapshot.root);
        const paths = isAll ? [snapshot.root] : [...this.#due];
        this.#due.clear();
        if (snapshot !== undefined) this.#take(await snapshot.scan(paths));
      } catch (error) {
        this.#ports.log.write("error", `Cannot scan the watched path ${this.path}`, { error });
      }
    }
    this.#working = undefined;
  }

  /** Switches the watch to the file or folder that exists at the path now. */
  async #follow(): Promise<void> {
    this.#isCheckDue = false;
    if (this.#isTooLarge) return;
    const found = await this.#find();
    if (found?.identity !== this.#root?.identity) this.#lose();
    if (found !== undefined && this.#root === undefined) await this.#enter(found);
  }

  async #find(): Promise<WatchedRoot | undefined> {
    try {
      const root = await findWatchedRoot(this.path, this.#root);
      const found = root !== undefined && this.#isClosed(root.folder) ? undefined : root;
      // If nothing was ever found at the path, `#isUnreachable` is kept, because #enter() needs it.
      if (found === undefined || this.#snapshot !== undefined) this.#isUnreachable = false;
      return found;
    } catch (error) {
      if (!this.#isUnreachable) {
        const message = `Cannot tell what is at ${this.path}, which is watched`;
        this.#ports.log.write("warn", message, { error });
      }
      this.#isUnreachable = true;
      return this.#root;
    }
  }

  async #enter(root: WatchedRoot): Promise<void> {
    const { watches, mostEntries: most } = this.#ports;
    const { folder, only } = root;
    const { ignored } = this.wanted;
    const recursive = this.wanted.recursive && only === undefined;
    const isLeftOut = (path: string) => this.#isClosed(path) || isSkipped(path, ignored);
    const options = { recursive, only, isSkipped: isLeftOut, most, signal: this.#over.signal };
    // Checked before watching: a watch of very many folders takes long to open, and the system limits their number.
    if (only === undefined && await holdsMoreThan(folder, options)) return this.#refuse();
    const known = this.#snapshot;
    const wasUnreachable = known === undefined && this.#isUnreachable;
    const isSame = known?.root === folder && known.options.only === only;
    const snapshot = this.#snapshot = isSame ? known : new FolderSnapshot(folder, options);
    this.#root = root;
    this.#isUnreachable = false;
    const unwatch = this.#unwatch = await watches.watch({ folder, recursive }, this);
    if (this.#over.signal.aborted) return unwatch();
    const result = await snapshot.scan([folder], { isOld: this.#isOpening || wasUnreachable });
    if (wasUnreachable) result.changes.unshift({ path: this.path, before: UNREAD, now: null });
    // The folder may be filling at this moment, so it is scanned a second time.
    result.newFolders = [folder];
    this.#take(result);
  }

  #take({ changes, newFolders, lost, hasFoundFolder }: ScanResult): void {
    const { clock, log, watches } = this.#ports;
    if (this.#snapshot?.isTooLarge === true) return this.#refuse();
    if (!this.#isOpening) {
      for (const listener of this.#listeners) {
        listener.changed(this, changes);
      }
    }
    if (!this.#isOpening && newFolders.length > 0) {
      this.#secondScan = this.#scanSoon(newFolders, { after: this.#secondScan });
    }
    if (hasFoundFolder && this.#root !== undefined) watches.reopen(this.#root.folder);
    const [first] = lost;
    if (first === undefined) return;
    this.#retryMs = FIRST_RETRY_MS;
    this.#retryAt = monotonicNow(clock) + FIRST_RETRY_MS;
    const what = lost.length === 1 ? first.path : `${first.path} and ${lost.length - 1} more`;
    const message = "which is watched; what is known of it counts until it can be read";
    log.write("warn", `Cannot read ${what}, ${message}`, { error: first.error });
  }

  #refuse(): void {
    this.#lose();
    this.#isTooLarge = true;
    for (const listener of this.#listeners) listener.changed(this, []);
  }

  #lose(): void {
    this.#unwatch?.();
    this.#unwatch = undefined;
    this.#root = undefined;
  }

  async #scanSoon(paths: readonly string[], { after }: { after: Promise<void> }): Promise<void> {
    await sleepUnlessAborted(this.#ports.clock, SECOND_SCAN_MS, this.#over.signal);
    await after;
    if (!this.#over.signal.aborted) void this.scan(paths);
  }

  async #checkRegularly(): Promise<void> {
    const { clock } = this.#ports;
    while (await sleepUnlessAborted(clock, CHECK_MS, this.#over.signal)) await this.check();
  }

  #isClosed(path: string): boolean {
    return this.#closed.some((folder) => isBelow(path, folder));
  }
}
