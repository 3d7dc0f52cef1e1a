// What is in a watched folder, as far as it has been scanned; each scan tells what has changed since the one before.
// Symlinks are left out: what they lead to would change without a word, or lead round in a circle.
//
// Decision: only what the system says is not there is gone. What cannot be read, for whatever reason, counts as it was.
import { dirname, join } from "node:path";
import { isBelow } from "../files/path_below.ts";
import type { Stamp } from "./change_folding.ts";
import { type Entry, FOLDER, FolderSnapshot, stampOf } from "./folder_snapshot.ts";
import { inGroups } from "./in_groups.ts";
import { ScanResult } from "./scan_result.ts";
import { isMissing } from "./missing.ts";
import { UnreadPaths } from "./unread_paths.ts";

const STATS_AT_ONCE = 32;

/** What belongs to a view. */
export interface FolderViewOptions {
  /** With all folders in it. */
  recursive: boolean;
  /** The only name that matters, where it is a file that is watched. */
  only: string | undefined;
  /** Folders and files (absolute, real) that are never scanned. */
  isSkipped: (path: string) => boolean;
  /** Ends a scan that takes long. */
  signal: AbortSignal;
  /** How many files and folders it may hold: beyond that, a scan ends. */
  most: number;
}

/** The error for which something cannot be read. */
class Unreadable {
  readonly error: unknown;

  constructor(error: unknown) {
    this.error = error;
  }
}

interface Found {
  path: string;
  entry: Entry | Unreadable;
}

/** One folder. Looks must not overlap. */
export class FolderView {
  readonly #root: string;
  readonly #options: FolderViewOptions;
  readonly #snapshot: FolderSnapshot;
  readonly #unread = new UnreadPaths();
  #isRootRead = false;

  /** `root` is absolute and real. */
  constructor(root: string, options: FolderViewOptions) {
    this.#root = root;
    this.#options = options;
    this.#snapshot = new FolderSnapshot(root);
  }

  /** Every file with its stamp, as last seen. */
  files(): Iterable<[path: string, stamp: Stamp]> {
    return this.#snapshot.files();
  }

  stampAt(path: string): Stamp | null {
    return this.#snapshot.stampAt(path);
  }

  /** Whether it holds more than it may: then only a part of it is known. */
  get isTooLarge(): boolean {
    return this.#snapshot.size > this.#options.most;
  }

  /** Files and folders that cannot be read now. */
  get unread(): string[] {
    return this.#unread.all;
  }

  /** Files and folders that could never be read. */
  get hidden(): string[] {
    return this.#unread.hidden;
  }

  /** Whether there may be a file that nobody has seen: it, or a folder that it would be in, could never be read. */
  hides(path: string): boolean {
    return this.#unread.hides(path);
  }

  /** Looks at everything. */
  async scanAll(): Promise<ScanResult> {
    const { only } = this.#options;
    return await this.scan([only === undefined ? this.#root : join(this.#root, only)]);
  }

  /** Looks at these paths, and at what is below them where they are folders. */
  async scan(paths: readonly string[]): Promise<ScanResult> {
    const result = new ScanResult(paths);
    const places = new Set(paths.flatMap((path) => this.#firstUnknown(path) ?? []));
    const found = await inGroups([...places], {
      size: STATS_AT_ONCE,
      work: async (path): Promise<Found> => ({ path, entry: await entryAt(path) }),
    });
    await this.#noteAll(found, result);
    return result;
  }

  /** The path, or the first folder on the way to it that is not known yet; undefined where nobody wants a scan. */
  #firstUnknown(path: string): string | undefined {
    const { only, recursive } = this.#options;
    if (!isBelow(path, this.#root)) return undefined;
    if (path === this.#root) return only === undefined ? path : join(path, only);
    if (only !== undefined) return path === join(this.#root, only) ? path : undefined;
    let place = path;
    while (!this.#snapshot.isFolder(dirname(place))) place = dirname(place);
    if (!recursive && dirname(place) !== this.#root) return undefined;
    return this.#options.isSkipped(place) ? undefined : place;
  }

  /** Files first: what is seen of them again in their folder is newer. */
  async #noteAll(found: readonly Found[], result: ScanResult): Promise<void> {
    const folders: string[] = [];
    for (const { path, entry } of found) {
      const isFolder = entry === FOLDER && (this.#options.recursive || path === this.#root);
      if (isFolder) folders.push(path);
      else if (entry instanceof Unreadable) this.#lose(path, entry, result);
      else if (path !== this.#root) this.#noteFile(path, entry === FOLDER ? null : entry, result);
    }
    for (const folder of folders) await this.#scanFolder(folder, result);
  }

  #noteFile(path: string, stamp: Stamp | null, result: ScanResult): void {
    // Also what was in a folder of that name.
    result.find(this.#unread.takeGone(path));
    result.add(this.#snapshot.set(path, stamp));
  }

  #lose(path: string, { error }: Unreadable, result: ScanResult): void {
    const isKnown = path === this.#root ? this.#isRootRead : this.#snapshot.has(path);
    if (this.#unread.add({ path, isHidden: !isKnown })) result.lose(path, error);
  }

  async #scanFolder(folder: string, result: ScanResult): Promise<void> {
    if (this.#options.signal.aborted || this.isTooLarge) return;
    const entries = await entriesOf(folder);
    if (entries === null) {
      if (folder !== this.#root) this.#noteFile(folder, null, result);
      return;
    }
    if (entries instanceof Unreadable) {
      // A file that was in its place is gone, whatever is in the folder.
      if (!this.#snapshot.isFolder(folder)) result.add(this.#snapshot.set(folder, null));
      return this.#lose(folder, entries, result);
    }
    this.#isRootRead ||= folder === this.#root;
    const wasUnread = this.#unread.takeRead(folder);
    result.hasFoundFolder ||= wasUnread.length > 0;
    result.find(wasUnread);
    if (!this.#snapshot.isFolder(folder)) {
      result.newFolders.push(folder);
      if (folder !== this.#root && this.#unread.hides(dirname(folder))) result.reachBeyond(folder);
    }
    if (folder !== this.#root) result.add(this.#snapshot.set(folder, FOLDER));
    const names = new Set(entries.map(({ name }) => join(folder, name)));
    for (const name of this.#snapshot.namesIn(folder)) {
      const path = join(folder, name);
      if (!names.has(path)) this.#noteFile(path, null, result);
    }
    result.find(this.#unread.takeMissing(folder, (path) => names.has(path)));
    const wanted = entries.filter(({ name }) => !this.#options.isSkipped(join(folder, name)));
    const found = await inGroups(wanted, {
      size: STATS_AT_ONCE,
      work: async ({ name, isFile, isDirectory }): Promise<Found> => {
        const path = join(folder, name);
        return { path, entry: isFile ? await entryAt(path) : isDirectory ? FOLDER : null };
      },
    });
    await this.#noteAll(found, result);
  }
}

async function entryAt(path: string): Promise<Entry | Unreadable> {
  try {
    const info = await Deno.lstat(path);
    if (info.isFile) return stampOf(info);
    return info.isDirectory ? FOLDER : null;
  } catch (error) {
    return isMissing(error) ? null : new Unreadable(error);
  }
}

async function entriesOf(folder: string): Promise<Deno.DirEntry[] | null | Unreadable> {
  try {
    return await Array.fromAsync(Deno.readDir(folder));
  } catch (error) {
    return isMissing(error) ? null : new Unreadable(error);
  }
}
