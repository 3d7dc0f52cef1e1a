// One watched path, whatever is there: a folder, a file, or nothing yet. Follows it when it vanishes and comes back, and
// tells how its files change. What is due is put together, and one scan follows the other.
import { join } from "node:path";
import { sleepUnlessAborted } from "../../base/bounded_wait.ts";
import type { Clock } from "../../base/clock.ts";
import { holdsMoreThan } from "../../base/files/folder_size.ts";
import type { ServiceLog } from "../service_log/service_log.ts";
import { FolderSnapshot, isNews, type ScanResult, type Stamp } from "./folder_snapshot.ts";
import type { FolderWatches } from "./folder_watches.ts";
import { findWatchedRoot, type WatchedRoot } from "./watched_root.ts";

/** After this long a folder that appeared is scanned once more: its watch began a little later than its life. */
const SECOND_SCAN_MS = 500;
/** What cannot be read is tried again so soon, then ever more rarely, up to a minute. */
const FIRST_RETRY_MS = 2_000;
const LONGEST_RETRY_MS = 60_000;

/** Is told what becomes of a watched path. */
export interface PlaceListener {
  /** Files differ from how they were last seen, or could not be; or the path is there again. */
  changed(found: ScanResult): void;
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
  /** Says that there are more. */
  describeTooLarge: (path: string, most: number) => string;
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
  readonly #over = new AbortController();
  /** What is there now. */
  #root: WatchedRoot | undefined;
  /** What was seen last. Its files count as they were until the path is back: a drive may just not be mounted. */
  #seen: { root: WatchedRoot; snapshot: FolderSnapshot } | undefined;
  #unwatch: (() => void) | undefined;
  #isOpening = true;
  #isUnreachable = false;
  #refusal: string | undefined;
  #isCheckDue = false;
  #isAllDue = false;
  readonly #due = new Set<string>();
  #working: Promise<void> | undefined;
  #secondScan: Promise<void> | undefined;
  #retryMs = FIRST_RETRY_MS;
  #retryAt = 0;

  constructor(place: { path: string; recursive: boolean }, ports: PlacePorts) {
    this.path = place.path;
    this.#recursive = place.recursive;
    this.#ports = ports;
  }

  /** Whether there is anything at the path. */
  get isThere(): boolean {
    return this.#root !== undefined;
  }

  /** Why nothing is watched at the path: there is too much. It stays so, whatever becomes of it. */
  get refusal(): string | undefined {
    return this.#refusal;
  }

  /** The watched file, or undefined where that is a folder. Real. */
  get file(): string | undefined {
    const root = this.#seen?.root;
    return root?.only === undefined ? undefined : join(root.folder, root.only);
  }

  /** The real folder of its files; undefined where nothing was ever there. */
  get folder(): string | undefined {
    return this.#seen?.root.folder;
  }

  /** Every file with its stamp, as last seen. */
  files(): Iterable<[path: string, stamp: Stamp]> {
    return this.#seen?.snapshot.files() ?? [];
  }

  /** How a file was last seen; null: there was none. */
  stampAt(path: string): Stamp | null {
    return this.#seen?.snapshot.stampAt(path) ?? null;
  }

  /** Files and folders that cannot be read now; the path itself where it cannot be told what is there. */
  get unread(): readonly string[] {
    if (this.#seen === undefined) return this.#isUnreachable ? [this.path] : [];
    return this.#seen.snapshot.unread;
  }

  /** Whether a path, or a folder on the way to it, cannot be read now. */
  isUnread(path: string): boolean {
    return this.#seen?.snapshot.isUnread(path) ?? this.#isUnreachable;
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

  /** Looks whether the path is still there and still the same; and at what could not be read, when its time has come. */
  check(): Promise<void> {
    this.#isCheckDue = true;
    if (this.unread.length > 0 && this.#ports.clock.now() >= this.#retryAt) {
      this.#retryMs = Math.min(2 * this.#retryMs, LONGEST_RETRY_MS);
      this.#retryAt = this.#ports.clock.now() + this.#retryMs;
      for (const path of this.unread) this.#due.add(path);
    }
    return this.#work();
  }

  /** Looks at those of these paths (absolute, real) that lie in it. */
  scan(paths: readonly string[]): Promise<void> {
    for (const path of paths) this.#due.add(path);
    return this.#work();
  }

  /** Ends what it is doing, if it has not got to know yet what is there. */
  abandonOpening(): void {
    if (this.#isOpening) this.#over.abort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    this.#unwatch?.();
    await this.#working;
    await this.#secondScan;
  }

  #scanAll(): Promise<void> {
    this.#isCheckDue = this.#isAllDue = true;
    return this.#work();
  }

  #work(): Promise<void> {
    return this.#working ??= this.#workOff();
  }

  async #workOff(): Promise<void> {
    // Not before the caller has this promise at hand.
    await Promise.resolve();
    while (!this.#over.signal.aborted && (this.#isCheckDue || this.#due.size > 0)) {
      try {
        await (this.#isCheckDue ? this.#checkNow() : this.#scanDue());
      } catch (error) {
        this.#ports.log.write("error", `Cannot scan the watched path ${this.path}`, { error });
      }
    }
    this.#working = undefined;
  }

  /** Follows what is there now. */
  async #checkNow(): Promise<void> {
    const isAllDue = this.#isAllDue;
    this.#isCheckDue = this.#isAllDue = false;
    if (this.#refusal !== undefined) return;
    const found = await this.#find();
    if (found === undefined || found.identity !== this.#root?.identity) this.#lose();
    if (found === undefined) return;
    if (this.#root === undefined) return await this.#enter(found);
    if (!isAllDue) return;
    this.#due.clear();
    await this.#scan((snapshot) => snapshot.scanAll({ isBeginning: false }));
  }

  async #scanDue(): Promise<void> {
    const paths = [...this.#due];
    this.#due.clear();
    await this.#scan((snapshot) => snapshot.scan(paths));
  }

  async #scan(work: (snapshot: FolderSnapshot) => Promise<ScanResult>): Promise<void> {
    if (this.#root === undefined || this.#seen === undefined) return;
    const { snapshot } = this.#seen;
    const result = await work(snapshot);
    if (snapshot.isTooLarge) return this.#refuse();
    if (isNews(result)) this.#tell(result);
    if (result.newFolders.length > 0) this.#rescanSoon(result.newFolders);
    this.#followUnread(result);
  }

  async #find(): Promise<WatchedRoot | undefined> {
    try {
      const found = await findWatchedRoot(this.path, {
        isClosed: this.#ports.isClosed,
        former: this.#root,
      });
      // Of what has never been seen, #enter has to know.
      if (found === undefined || this.#seen !== undefined) this.#isUnreachable = false;
      return found;
    } catch (error) {
      if (!this.#isUnreachable) {
        this.#ports.log.write("warn", `Cannot tell what is at ${this.path}, which is watched`, {
          error,
        });
      }
      this.#isUnreachable = true;
      return this.#root;
    }
  }

  async #enter(root: WatchedRoot): Promise<void> {
    const { watches, isSkipped, mostEntries: most } = this.#ports;
    const { folder, only } = root;
    const recursive = this.#recursive && only === undefined;
    const options = { recursive, isSkipped, signal: this.#over.signal, most };
    // First: a watch of very many folders takes long to begin, and the system has a limit for all of them.
    if (only === undefined && await holdsMoreThan(folder, options)) return this.#refuse();
    const wasUnreachable = this.#seen === undefined && this.#isUnreachable;
    if (this.#seen?.root.folder !== folder || this.#seen.root.only !== only) {
      this.#seen = { root, snapshot: new FolderSnapshot(folder, { ...options, only }) };
    }
    const { snapshot } = this.#seen;
    this.#root = root;
    this.#isUnreachable = false;
    const unwatch = await watches.watch({ folder, recursive }, {
      changed: (paths) => {
        void this.scan(paths);
        // The folder itself: it may be gone, or another one by now.
        if (paths.includes(folder)) void this.#scanAll();
      },
      uncertain: () => this.#scanAll(),
    });
    this.#unwatch = unwatch;
    if (this.#over.signal.aborted) return unwatch();
    const result = await snapshot.scanAll({ isBeginning: this.#isOpening || wasUnreachable });
    if (snapshot.isTooLarge) return this.#refuse();
    if (!this.#isOpening) {
      this.#tell(wasUnreachable ? { ...result, read: [...result.read, this.path] } : result);
      // Of a folder that is just being filled the first scan may have missed the rest.
      this.#rescanSoon([folder]);
    }
    this.#followUnread(result);
  }

  #tell(found: ScanResult): void {
    this.#listeners.forEach((listener) => listener.changed(found));
  }

  #refuse(): void {
    this.#lose();
    this.#refusal = this.#ports.describeTooLarge(this.path, this.#ports.mostEntries);
    for (const listener of this.#listeners) listener.refused(this.#refusal);
  }

  #lose(): void {
    this.#unwatch?.();
    this.#unwatch = undefined;
    this.#root = undefined;
  }

  /** Scans folders once more, a moment later: they are new, and may just be being filled. */
  #rescanSoon(folders: readonly string[]): void {
    const before = this.#secondScan;
    this.#secondScan = (async () => {
      await sleepUnlessAborted(this.#ports.clock, SECOND_SCAN_MS, this.#over.signal);
      await before;
      if (!this.#over.signal.aborted) void this.scan(folders);
    })();
  }

  /** Sees to what cannot be read: it is tried again with the checks. What could not be read may not be watched, either. */
  #followUnread({ lost, hasFoundFolder }: ScanResult): void {
    if (hasFoundFolder && this.#root !== undefined) this.#ports.watches.renew(this.#root.folder);
    const [first] = lost;
    if (first === undefined) return;
    this.#retryMs = FIRST_RETRY_MS;
    this.#retryAt = this.#ports.clock.now() + FIRST_RETRY_MS;
    const what = lost.length === 1 ? first.path : `${first.path} and ${lost.length - 1} more`;
    const message = "which is watched; what is known of it counts until it can be read";
    this.#ports.log.write("warn", `Cannot read ${what}, ${message}`, { error: first.error });
  }
}
