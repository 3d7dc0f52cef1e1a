// One watched path: a folder, a file, or nothing yet. Follows it when it vanishes and returns, and reports the changes
// of its files. Requests for scans are merged, and scans run one at a time.
import { join } from "node:path";
import { sleepUnlessAborted } from "../../base/bounded_wait.ts";
import type { Clock } from "../../base/clock.ts";
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

/** The interval of checks. A path may appear, vanish or change its target without an event. */
const CHECK_MS = 2_000;
/** The delay of the second scan of a new folder. Its watch started a little after it was created. */
const SECOND_SCAN_MS = 500;
/** The first delay before an unreadable path is tried again. It grows to a minute. */
const FIRST_RETRY_MS = 2_000;
const LONGEST_RETRY_MS = 60_000;

/** A path to watch. */
export interface WantedPlace {
  /** Absolute. */
  path: string;
  /** True to include all subfolders. */
  recursive: boolean;
  /** Names from foldersToSkip() that are excluded inside it. */
  ignored: readonly string[];
}

/** Receives the changes of a watched path. */
export interface PlaceListener {
  /** Files differ from the last snapshot, or the path has returned or become too large. */
  changed(place: WatchedPlace, changes: readonly Transition[]): void;
}

/** The collaborators shared by all places. */
export interface PlacePorts {
  watches: FolderWatches;
  clock: Clock;
  log: ServiceLog;
  /** The most files and folders at the path. */
  mostEntries: number;
  /** Folders with content that must not be watched, absolute. */
  closed: readonly string[];
}

/** A watched path. */
export class WatchedPlace implements AsyncDisposable, FolderListener {
  readonly #ports: PlacePorts;
  readonly #closed: readonly string[];
  readonly #listeners = new Set<PlaceListener>();
  readonly #over = new AbortController();
  /** The present folder or file. */
  #root: WatchedRoot | undefined;
  /** The last snapshot. Its files count as unchanged until the path returns: a drive may just be unmounted. */
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
    // A closed folder is also closed under its real path.
    this.#closed = [...ports.closed, ...ports.closed.map(knownRealPath)];
  }

  /** The path as the agent's file names it, absolute. */
  get path(): string {
    return this.wanted.path;
  }

  /** True when something exists at the path. */
  get isThere(): boolean {
    return this.#root !== undefined;
  }

  /** True when nothing is watched because the path holds too much. This never changes back. */
  get isTooLarge(): boolean {
    return this.#isTooLarge;
  }

  /** The real path of the watched file; undefined for a folder. */
  get file(): string | undefined {
    const only = this.#snapshot?.options.only;
    return this.folder === undefined || only === undefined ? undefined : join(this.folder, only);
  }

  /** The real folder of its files; undefined when nothing ever existed there. */
  get folder(): string | undefined {
    return this.#snapshot?.root;
  }

  /** Returns every file with its last stamp; UNREAD for files that never could be read. */
  files(): Iterable<[path: string, stamp: Stamp]> {
    return this.#snapshot?.files() ?? (this.#isUnreachable ? [[this.path, UNREAD]] : []);
  }

  /** Returns true when a path, or a folder above it, cannot be read now. */
  isUnread(path: string): boolean {
    return this.#snapshot?.isUnread(path) ?? this.#isUnreachable;
  }

  /**
   * Reads the present content. Later changes are reported. Throws when the opening was abandoned, because the content
   * is incomplete then.
   */
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

  /** Stops the opening, unless the content is known already. */
  cancelOpening(): void {
    if (this.#isOpening) this.#over.abort();
  }

  listen(listener: PlaceListener): void {
    this.#listeners.add(listener);
  }

  leave(listener: PlaceListener): void {
    this.#listeners.delete(listener);
  }

  /** Checks that the path still leads to the same place, and tries unreadable entries again. */
  check(): Promise<void> {
    this.#isCheckDue = true;
    const unread = this.#snapshot?.unread ?? [];
    const now = this.#ports.clock.now();
    if (unread.length > 0 && now >= this.#retryAt) {
      this.#retryMs = Math.min(2 * this.#retryMs, LONGEST_RETRY_MS);
      this.#retryAt = now + this.#retryMs;
      for (const path of unread) this.#due.add(path);
    }
    return this.scan([]);
  }

  /** Scans the given paths (absolute, real) that lie in it. */
  scan(paths: readonly string[]): Promise<void> {
    for (const path of paths) this.#due.add(path);
    return this.#working ??= this.#work();
  }

  changed(paths: readonly string[]): void {
    // The folder itself may be gone or replaced.
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
    await Promise.resolve(); // Not before the caller has this promise at hand.
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

  /** Switches the watch to the folder or file that exists at the path now. */
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
      // For a path that was never seen, #enter needs this state.
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
    // Checked first: a watch of very many folders takes long to start, and the system limits their total.
    if (only === undefined && await holdsMoreThan(folder, options)) return this.#refuse();
    const known = this.#snapshot;
    const wasUnreachable = known === undefined && this.#isUnreachable;
    const isSame = known?.root === folder && known.options.only === only;
    const snapshot = this.#snapshot = isSame ? known : new FolderSnapshot(folder, options);
    this.#root = root;
    this.#isUnreachable = false;
    const unwatch = this.#unwatch = await watches.watch({ folder, recursive }, this);
    if (this.#over.signal.aborted) return unwatch();
    const result = await snapshot.scanAll({ isBeginning: this.#isOpening || wasUnreachable });
    if (wasUnreachable) result.changes.unshift({ path: this.path, before: UNREAD, now: null });
    // A folder may still be filling: the first scan may have missed the rest.
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
    this.#retryAt = clock.now() + FIRST_RETRY_MS;
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
