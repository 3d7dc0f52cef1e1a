// The last known content of a watched folder. Each scan reports the differences from the scan before. Symbolic links
// are excluded: their targets change without events and may form a cycle.
//
// Decision: an entry is gone only if the system says so. An unreadable entry keeps its last state. The first complete
// scan of an unreadable folder becomes its first snapshot and reports no changes.
import { basename, dirname, join } from "node:path";
import { isMissing } from "../../base/files/missing.ts";
import { isBelow } from "../../base/files/path_below.ts";
import { inGroups } from "../../base/in_groups.ts";

const STATS_AT_ONCE = 32;

/** Identifies a file's content without reading it. Equal stamps mean equal content, even at another path. */
export type Stamp = string;

/** Replaces the stamp of files that existed before they could be read. */
export const UNREAD: Stamp = "unread";

/** A changed file; null: absent. A transition from or to UNREAD is no change of the file. */
export interface Transition {
  path: string;
  before: Stamp | null;
  now: Stamp | null;
}

/** The result of one scan. */
export interface ScanResult {
  changes: Transition[];
  /** The outermost new folders. Files put into them at once may have been missed. */
  newFolders: string[];
  /** The entries that became unreadable, and the errors. */
  lost: { path: string; error: unknown }[];
  /** True when a folder became readable. It may not be watched yet. */
  hasFoundFolder: boolean;
}

/** The scope of a snapshot. */
export interface FolderSnapshotOptions {
  /** True to include all subfolders. */
  recursive: boolean;
  /** The name of the watched file, when the watched path is a file. */
  only: string | undefined;
  /** Returns true for absolute, real paths of folders and files to exclude. */
  isSkipped: (path: string) => boolean;
  /** Ends a long scan. */
  signal: AbortSignal;
  /** The most files and folders. A scan ends when it finds more. */
  most: number;
}

/** Marks a folder in place of a file's stamp. */
const FOLDER = Symbol("folder");
type Entry = Stamp | typeof FOLDER;
/** The entry at a path; null: none that counts. */
type Found = { path: string; entry: Entry | null } | { path: string; error: unknown };
/** A scan in progress. `isOld`: new entries existed before the scan. */
type Scan = { result: ScanResult; isOld: boolean };

/** The snapshot of one folder. Scans must not overlap. */
export class FolderSnapshot {
  /** The entries of each folder read so far, by name. */
  readonly #folders = new Map<string, Map<string, Entry>>();
  /** The unreadable paths. True: never readable so far, so everything in it existed from the start. */
  readonly #unread = new Map<string, boolean>();
  #size = 0;

  /** `root` is absolute and real. */
  constructor(readonly root: string, readonly options: FolderSnapshotOptions) {
    if (options.only !== undefined) this.#folders.set(root, new Map());
  }

  /** True when the folder holds more entries than allowed. The snapshot is incomplete then. */
  get isTooLarge(): boolean {
    return this.#size > this.options.most;
  }

  /** The files and folders that cannot be read now. */
  get unread(): string[] {
    return [...this.#unread.keys()];
  }

  /** Returns true when a path, or a folder above it, cannot be read now. */
  isUnread(path: string): boolean {
    for (let place = path; this.#unread.size > 0; place = dirname(place)) {
      if (this.#unread.has(place)) return true;
      if (place === this.root || dirname(place) === place) return false;
    }
    return false;
  }

  /** Returns every file with its last stamp; UNREAD for files that never could be read. */
  *files(): Generator<[path: string, stamp: Stamp]> {
    for (const [folder, entries] of this.#folders) {
      for (const [name, entry] of entries) if (entry !== FOLDER) yield [join(folder, name), entry];
    }
    for (const [path, isHidden] of this.#unread) if (isHidden) yield [path, UNREAD];
  }

  /** Scans everything. `isBeginning`: entries found for the first time existed before. */
  async scanAll({ isBeginning }: { isBeginning: boolean }): Promise<ScanResult> {
    return await this.#scan([this.root], isBeginning);
  }

  /** Scans these paths, and folders among them with their content. */
  async scan(paths: readonly string[]): Promise<ScanResult> {
    return await this.#scan(paths, false);
  }

  async #scan(paths: readonly string[], isOld: boolean): Promise<ScanResult> {
    const result: ScanResult = { changes: [], newFolders: [], lost: [], hasFoundFolder: false };
    const places = new Set(paths.flatMap((path) => this.#firstUnknown(path) ?? []));
    const found = await inGroups([...places], { size: STATS_AT_ONCE, work: find });
    await this.#scanEntries(found, { result, isOld });
    return result;
  }

  /** Returns the path, or the first unknown folder above it; undefined when the path needs no scan. */
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

  /** Scans files first. Their second state, read with their folder, is newer. */
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
    // #set reports the file itself. This is about the content of a folder with that name.
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

  /** Clears the unreadable state at and below a path that can be read or is gone. */
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
      // A file replaced by a folder is gone, whatever the folder contains.
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
    const found = await inGroups(entries, {
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

  /** Sets the entry at a path of a known folder, and adds the resulting changes, also below the path. */
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

/** Returns the stamp of the file at a path, or undefined when no file can be read there. */
export async function stampAt(path: string): Promise<Stamp | undefined> {
  const found = await find(path);
  return "entry" in found && typeof found.entry === "string" ? found.entry : undefined;
}

/** Returns the size in bytes from a stamp. */
export function sizeIn(stamp: Stamp): number {
  return Number(stamp.split(":")[1]);
}

/**
 * Makes the stamp from a stat result. Omits the device number, which may change with a restart. Milliseconds are the
 * precision of file systems.
 */
function stampOf(info: Deno.FileInfo): Stamp {
  return `${info.ino}:${info.size}:${info.mtime?.getTime()}`;
}
