// The last known content of a watched folder. Each scan reports the differences from the previous scan. Symbolic links are
// excluded, because their targets change without events and may form a loop.
//
// Decision: an entry counts as deleted only if the system reports that it does not exist. An unreadable entry keeps its
// last state. The first complete scan of a folder that was unreadable from the start reports no changes.
import { basename, dirname, join } from "../../base/plain_path.ts";
import { isMissing } from "../../base/files/missing.ts";
import { isBelow } from "../../base/files/path_below.ts";
import { inParallel } from "../../base/in_parallel.ts";

const STATS_AT_ONCE = 32;

/**
 * A text that identifies the state of a file without reading its content. Files with equal stamps have equal content, even
 * at different paths.
 */
export type Stamp = string;

/** The stamp of files that existed before they could be read. */
export const UNREAD: Stamp = "unread";

/**
 * A change of a file from one stamp to another; null means absent. A transition from or to UNREAD is no change of the file
 * itself.
 */
export interface Transition {
  path: string;
  before: Stamp | null;
  now: Stamp | null;
}

/** The result of one scan. */
export interface ScanResult {
  changes: Transition[];
  /** The outermost new folders. Files that were created in them immediately may have been missed. */
  newFolders: string[];
  /** The entries that became unreadable, with the errors. */
  lost: { path: string; error: unknown }[];
  /** True if a folder became readable. It may not be watched yet. */
  hasFoundFolder: boolean;
}

/** The options of a snapshot: the entries that it includes and its limits. */
export interface FolderSnapshotOptions {
  /** True to include all subfolders. */
  recursive: boolean;
  /** The name of the only included file; undefined to include all files. */
  only: string | undefined;
  /** Returns true for files and folders to exclude. Paths are absolute and without symbolic links. */
  isSkipped: (path: string) => boolean;
  /** A signal that aborts a scan. */
  signal: AbortSignal;
  /** The maximum number of files and folders. A scan ends when it finds more. */
  most: number;
}

/** The value of a folder in place of a file's stamp. */
const FOLDER = Symbol("folder");
type Entry = Stamp | typeof FOLDER;
/** The entry found at a path, or the error. An entry of null means that nothing exists there or that it is excluded. */
type Found = { path: string; entry: Entry | null } | { path: string; error: unknown };
/**
 * A scan in progress and its result so far. With `isOld`, new entries are not reported, because they existed before the
 * scan.
 */
type Scan = { result: ScanResult; isOld: boolean };

/** The snapshot of one folder. Do not start a scan while another is in progress. */
export class FolderSnapshot {
  /** For each folder that was read: its entries by name. */
  readonly #folders = new Map<string, Map<string, Entry>>();
  /**
   * The unreadable paths. The value is true if a path was never readable, so that everything in it existed from the start.
   */
  readonly #unread = new Map<string, boolean>();
  #size = 0;

  /** Creates an empty snapshot. `root` is absolute and without symbolic links. */
  constructor(readonly root: string, readonly options: FolderSnapshotOptions) {
    if (options.only !== undefined) this.#folders.set(root, new Map());
  }

  /** True if the folder contains more entries than allowed. The snapshot is then incomplete. */
  get isTooLarge(): boolean {
    return this.#size > this.options.most;
  }

  /** The paths of files and folders that cannot be read at present. */
  get unread(): string[] {
    return [...this.#unread.keys()];
  }

  /** Returns true if a path, or a folder above it, cannot be read at present. */
  isUnread(path: string): boolean {
    for (let place = path; this.#unread.size > 0; place = dirname(place)) {
      if (this.#unread.has(place)) return true;
      if (place === this.root || dirname(place) === place) return false;
    }
    return false;
  }

  /** Yields every file with its last stamp; UNREAD for files that could never be read. */
  *files(): Generator<[path: string, stamp: Stamp]> {
    for (const [folder, entries] of this.#folders) {
      for (const [name, entry] of entries) if (entry !== FOLDER) yield [join(folder, name), entry];
    }
    for (const [path, isHidden] of this.#unread) if (isHidden) yield [path, UNREAD];
  }

  /**
   * Scans the given paths. A folder among them is scanned with its content. With `isOld`, entries that are found for the
   * first time existed before and are not reported as new.
   */
  async scan(paths: readonly string[], { isOld = false } = {}): Promise<ScanResult> {
    const result: ScanResult = { changes: [], newFolders: [], lost: [], hasFoundFolder: false };
    const places = new Set(paths.flatMap((path) => this.#firstUnknown(path) ?? []));
    const found = await inParallel([...places], { size: STATS_AT_ONCE, work: find });
    await this.#scanEntries(found, { result, isOld });
    return result;
  }

  /**
   * Returns the part of a path to scan: the path itself, or the outermost folder above it that is not in the snapshot.
   * Undefined if no scan is needed.
   */
  #firstUnknown(path: string): string | undefined {
    const { only, recursive, isSkipped } = this.options;
    if (!isBelow(path, this.root)) return undefined;
    if (only !== undefined) {
      const file = join(this.root, only);
      return path === this.root || path === file ? file : undefined;
    }
    let place = path;
    while (place !== this.root && !this.#folders.has(dirname(place))) place = dirname(place);
    if (place === this.root) return place;
    return !recursive && dirname(place) !== this.root || isSkipped(place) ? undefined : place;
  }

  /** Scans the entries, files first. If a file is read again with its folder, that later state is newer. */
  async #scanEntries(found: readonly Found[], scan: Scan): Promise<void> {
    const folders: string[] = [];
    for (const one of found) {
      const { path } = one;
      if ("error" in one) this.#lose(one, scan);
      else if (one.entry !== FOLDER) this.#takeFile(path, one.entry, scan);
      else if (this.options.recursive || path === this.root) folders.push(path);
      else this.#takeFile(path, null, scan);
    }
    for (const folder of folders) await this.#scanFolder(folder, scan);
  }

  #takeFile(path: string, stamp: Stamp | null, { result, isOld }: Scan): void {
    if (path === this.root) return;
    const isFirst = isOld || this.#unread.get(path) === true;
    // #set() handles the file itself. This removes the state of a former folder with that name.
    if (stamp !== null) this.#unread.delete(path);
    if (this.#unread.has(path) || this.#folders.has(path)) this.#forgetUnread(path, result);
    this.#set(path, stamp, { result, isOld: isFirst });
  }

  #lose({ path, error }: { path: string; error: unknown }, { result, isOld }: Scan): void {
    if (this.#unread.has(path)) return;
    const isKnown = this.#folders.has(path) || typeof this.#entryAt(path) === "string";
    this.#unread.set(path, isOld && !isKnown);
    if (isOld && !isKnown) result.changes.push({ path, before: null, now: UNREAD });
    result.lost.push({ path, error });
  }

  /** Marks a path and everything below it as readable, or as gone. */
  #forgetUnread(path: string, { changes }: ScanResult): void {
    for (const [one, isHidden] of this.#unread) {
      if (!isBelow(one, path)) continue;
      this.#unread.delete(one);
      if (isHidden) changes.push({ path: one, before: UNREAD, now: null });
    }
  }

  async #scanFolder(folder: string, { result, isOld }: Scan): Promise<void> {
    if (this.options.signal.aborted || this.isTooLarge) return;
    let entries: Deno.DirEntry[];
    try {
      entries = await Array.fromAsync(Deno.readDir(folder));
    } catch (error) {
      if (isMissing(error)) return this.#takeFile(folder, null, { result, isOld });
      // If a folder has replaced a file, the file is reported as deleted.
      if (typeof this.#entryAt(folder) === "string") this.#set(folder, null, { result, isOld });
      return this.#lose({ path: folder, error }, { result, isOld });
    }
    const wasHidden = this.#unread.get(folder);
    if (this.#unread.delete(folder)) result.hasFoundFolder = true;
    if (wasHidden === true) result.changes.push({ path: folder, before: UNREAD, now: null });
    const isNew = !this.#folders.has(folder);
    if (isNew) {
      const last = result.newFolders.at(-1);
      if (last === undefined || !isBelow(folder, last)) result.newFolders.push(folder);
      if (folder !== this.root) this.#set(folder, FOLDER, { result, isOld });
      this.#folders.set(folder, new Map());
    }
    const inside = { result, isOld: isNew && (isOld || wasHidden === true) };
    const names = new Set(entries.map(({ name }) => name));
    for (const name of this.#folders.get(folder)?.keys() ?? []) {
      if (!names.has(name)) this.#takeFile(join(folder, name), null, inside);
    }
    for (const path of this.#unread.keys()) {
      if (dirname(path) === folder && !names.has(basename(path))) this.#forgetUnread(path, result);
    }
    const found = await inParallel(entries, {
      size: STATS_AT_ONCE,
      work: async ({ name, isFile, isDirectory }): Promise<Found> => {
        const path = join(folder, name);
        if (this.options.isSkipped(path)) return { path, entry: null };
        return isFile ? await find(path) : { path, entry: isDirectory ? FOLDER : null };
      },
    });
    await this.#scanEntries(found, inside);
  }

  #entryAt(path: string): Entry | undefined {
    return this.#folders.get(dirname(path))?.get(basename(path));
  }

  /**
   * Sets the entry at a path of a known folder. Adds the resulting changes to the result, including those below the path.
   */
  #set(path: string, entry: Entry | null, { result, isOld }: Scan): void {
    const siblings = this.#folders.get(dirname(path));
    const known = this.#entryAt(path);
    if (siblings === undefined || known === (entry ?? undefined)) return;
    if (known === FOLDER) this.#forget(path, result.changes);
    const now = typeof entry === "string" ? entry : null;
    const before = typeof known === "string" ? known : isOld && now !== null ? UNREAD : null;
    if (before !== now) result.changes.push({ path, before, now });
    this.#size += Number(entry !== null) - Number(known !== undefined);
    if (entry === null) siblings.delete(basename(path));
    else siblings.set(basename(path), entry);
  }

  #forget(folder: string, changes: Transition[]): void {
    const entries = this.#folders.get(folder) ?? new Map<string, Entry>();
    this.#size -= entries.size;
    for (const [name, entry] of entries) {
      const path = join(folder, name);
      if (entry === FOLDER) this.#forget(path, changes);
      else changes.push({ path, before: entry, now: null });
    }
    this.#folders.delete(folder);
  }
}

async function find(path: string): Promise<Found> {
  try {
    const info = await Deno.lstat(path);
    return { path, entry: info.isFile ? stampOf(info) : info.isDirectory ? FOLDER : null };
  } catch (error) {
    return isMissing(error) ? { path, entry: null } : { path, error };
  }
}

/** Returns the stamp of the file at a path, or undefined if there is no readable file. */
export async function stampAt(path: string): Promise<Stamp | undefined> {
  const found = await find(path);
  return "entry" in found && typeof found.entry === "string" ? found.entry : undefined;
}

/** Returns the file size in bytes that a stamp contains. */
export function sizeIn(stamp: Stamp): number {
  return Number(stamp.split(":")[1]);
}

/**
 * Returns the stamp for a stat result. Excludes the device number, which may differ after a restart. Times have
 * milliseconds, the precision of file systems.
 */
function stampOf(info: Deno.FileInfo): Stamp {
  return `${info.ino}:${info.size}:${info.mtime?.getTime()}`;
}
