// One watched path, whatever is there: a folder, a file, or nothing yet. Follows it when it vanishes and comes back, and
// tells how its files change.
import { basename, dirname, join } from "node:path";
import type { Clock } from "../clock.ts";
import type { ServiceLog } from "../service_log/service_log.ts";
import type { Stamp, Transition } from "./change_folding.ts";
import { FolderView } from "./folder_view.ts";
import type { FolderWatches } from "./folder_watches.ts";

/** After this long a folder that appeared is looked at once more: its watch began a little later than its life. */
const SECOND_LOOK_MS = 500;

/** Who wants to know. */
export interface PlaceListener {
  changed(changes: readonly Transition[]): void;
  /** The path is there, for the first time or again; what is different from the last time. */
  appeared(changes: readonly Transition[]): void;
  /** The path is gone as a whole. Its files count as they were until it is back: a drive may just not be mounted. */
  vanished(): void;
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

interface Root {
  /** The folder that is watched: the path itself, or the one that a watched file lies in. Real. */
  folder: string;
  /** The file's name. */
  only: string | undefined;
  identity: string;
}

/** A watched path. Looks at the disk one thing after the other. */
export class WatchedPlace implements AsyncDisposable {
  readonly #path: string;
  readonly #recursive: boolean;
  readonly #ports: PlacePorts;
  readonly #listeners = new Set<PlaceListener>();
  readonly #over = new AbortController();
  #root: Root | undefined;
  /** Outlives the root: see PlaceListener.vanished. */
  #view: { of: Root; view: FolderView } | undefined;
  #unwatch: (() => void) | undefined;
  #isOpening = true;
  /** What is to be looked at: whether the path is still what it was, paths, or everything. */
  #isCheckDue = false;
  #isAllDue = false;
  #due = new Set<string>();
  #working: Promise<void> | undefined;
  #secondLook: Promise<void> | undefined;

  constructor(place: { path: string; recursive: boolean }, ports: PlacePorts) {
    this.#path = place.path;
    this.#recursive = place.recursive;
    this.#ports = ports;
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

  /** Takes in what is there. From then on changes are told. */
  async open(): Promise<void> {
    await this.check();
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
        this.#ports.log.write("error", `Cannot look at the watched path ${this.#path}`, { error });
      }
    }
    this.#working = undefined;
  }

  async #look(): Promise<void> {
    const paths = [...this.#due];
    this.#due.clear();
    if (this.#root === undefined || this.#view === undefined) return;
    this.#tell("changed", await this.#view.view.look(paths));
    this.#lookAgainLater(this.#view.view.takeNewFolders());
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
      this.#tell("changed", await this.#view.view.lookAtAll());
      this.#lookAgainLater(this.#view.view.takeNewFolders());
    }
  }

  async #enter(found: Root): Promise<void> {
    const { watches, isSkipped } = this.#ports;
    const recursive = this.#recursive && found.only === undefined;
    this.#root = found;
    const known = this.#view?.of;
    if (known?.folder !== found.folder || known.only !== found.only) {
      const options = { recursive, only: found.only, isSkipped, signal: this.#over.signal };
      this.#view = { of: found, view: new FolderView(found.folder, options) };
    }
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
    const changes = await this.#view?.view.lookAtAll() ?? [];
    this.#view?.view.takeNewFolders();
    if (this.#isOpening) return;
    this.#tell("appeared", changes);
    // Of a folder that is just being filled the first look may have missed the rest.
    this.#lookAgainLater([found.folder]);
  }

  #lose(): void {
    if (this.#root === undefined) return;
    this.#unwatch?.();
    this.#unwatch = undefined;
    this.#root = undefined;
    for (const listener of this.#listeners) listener.vanished();
  }

  #tell(what: "changed" | "appeared", changes: readonly Transition[]): void {
    if (what === "changed" && changes.length === 0) return;
    for (const listener of this.#listeners) listener[what](changes);
  }

  #lookAgainLater(folders: readonly string[]): void {
    if (folders.length === 0) return;
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

  /** What is at the path now. */
  async #find(): Promise<Root | undefined> {
    const real = await Deno.realPath(this.#path).catch(ignoreUnreachable);
    if (real === undefined) return await this.#findFolderOfFile();
    const info = await Deno.lstat(real).catch(ignoreUnreachable);
    if (info === undefined || this.#ports.isClosed(real)) return undefined;
    if (info.isDirectory) return { folder: real, only: undefined, identity: identityOf(info) };
    if (!info.isFile) return undefined;
    const folder = dirname(real);
    return await toFileRoot({ folder, only: basename(real) });
  }

  /** A watched file that is gone is still watched, as long as its folder is there. */
  async #findFolderOfFile(): Promise<Root | undefined> {
    const { folder, only } = this.#root ?? {};
    if (folder === undefined || only === undefined) return undefined;
    return await toFileRoot({ folder, only });
  }
}

async function toFileRoot(place: { folder: string; only: string }): Promise<Root | undefined> {
  const info = await Deno.lstat(place.folder).catch(ignoreUnreachable);
  if (info === undefined || !info.isDirectory) return undefined;
  return { ...place, identity: `${identityOf(info)} ${join(place.folder, place.only)}` };
}

function identityOf({ dev, ino }: Deno.FileInfo): string {
  return `${dev}:${ino}`;
}

/** What cannot be reached now is waited for, whatever the reason. */
function ignoreUnreachable(error: unknown): undefined {
  if (!(error instanceof Error)) throw error;
}
