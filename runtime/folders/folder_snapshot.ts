// What is in a watched folder, as last seen; each scan tells what has changed since the one before. Symlinks are left out:
// what they lead to would change without a word, or lead round in a circle.
//
// Decision: only what the system says is not there is gone. What cannot be read counts as it was. Of a folder that could not
// be read in the beginning, the first whole scan is the beginning: what is in it then is no news.
import { basename, dirname, join } from "node:path";
import { isMissing } from "../../base/files/missing.ts";
import { isBelow } from "../../base/files/path_below.ts";
import { inGroups } from "../../base/in_groups.ts";

const STATS_AT_ONCE = 32;

/** What a file's content can be told by, without reading it. Equal stamps: the same content, even at another path. */
export type Stamp = string;

/** In place of a stamp: a file, or all in a folder, was there before it could be read. */
export const UNREAD: Stamp = "unread";

/** A file that is different from a moment ago; null: there is none. From or to UNREAD nothing has happened to it. */
export interface Transition {
  path: string;
  before: Stamp | null;
  now: Stamp | null;
}

/** What one scan has found. */
export interface ScanResult {
  changes: Transition[];
  /** The outermost folders that are new: what was put into them in their first moments may have been missed. */
  newFolders: string[];
  /** What cannot be read any more, and why. */
  lost: { path: string; error: unknown }[];
  /** Whether a folder can be read that could not before: it may not be watched. */
  hasFoundFolder: boolean;
}

/** What belongs to a snapshot. */
export interface FolderSnapshotOptions {
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

/** Stands for a folder where a file's stamp would be. */
const FOLDER = Symbol("folder");
type Entry = Stamp | typeof FOLDER;
/** What stands at a path; null: nothing that counts. */
type Found = { path: string; entry: Entry | null } | { path: string; error: unknown };
/** A scan under way; `isOld`: what it finds first was there before. */
type Scan = { result: ScanResult; isOld: boolean };

/** One folder. Scans must not overlap. */
export class FolderSnapshot {
  /** The entries of each folder that has been read, by name. */
  readonly #folders = new Map<string, Map<string, Entry>>();
  /** What cannot be read now, and whether it never could: all in it was there in the beginning. */
  readonly #unread = new Map<string, boolean>();
  #size = 0;

  /** `root` is absolute and real. */
  constructor(readonly root: string, readonly options: FolderSnapshotOptions) {
    if (options.only !== undefined) this.#folders.set(root, new Map());
  }

  /** Whether it holds more than it may: then only a part of it is known. */
  get isTooLarge(): boolean {
    return this.#size > this.options.most;
  }

  /** Files and folders that cannot be read now. */
  get unread(): string[] {
    return [...this.#unread.keys()];
  }

  /** Whether a path, or a folder on the way to it, cannot be read now. */
  isUnread(path: string): boolean {
    for (let place = path; this.#unread.size > 0; place = dirname(place)) {
      if (this.#unread.has(place)) return true;
      if (place === this.root || dirname(place) === place) return false;
    }
    return false;
  }

  /** Every file with its stamp, as last seen; UNREAD for what never could be read. */
  *files(): Generator<[path: string, stamp: Stamp]> {
    for (const [folder, entries] of this.#folders) {
      for (const [name, entry] of entries) if (entry !== FOLDER) yield [join(folder, name), entry];
    }
    for (const [path, isHidden] of this.#unread) if (isHidden) yield [path, UNREAD];
  }

  /** Scans everything. `isBeginning`: what is found first by this was there before. */
  async scanAll({ isBeginning }: { isBeginning: boolean }): Promise<ScanResult> {
    return await this.#scan([this.root], isBeginning);
  }

  /** Scans these paths, and what is below them where they are folders. */
  async scan(paths: readonly string[]): Promise<ScanResult> {
    return await this.#scan(paths, false);
  }

  async #scan(paths: readonly string[], isOld: boolean): Promise<ScanResult> {
    const result: ScanResult = { changes: [], newFolders: [], lost: [], hasFoundFolder: false };
    const places = new Set(paths.flatMap((path) => this.#firstUnknown(path) ?? []));
    const found = await inGroups([...places], { size: STATS_AT_ONCE, work: find });
    await this.#takeAll(found, { result, isOld });
    return result;
  }

  /** The path, or the first folder on the way to it that is not known yet; undefined where nobody wants a scan. */
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

  /** Files first: what is seen of them a second time, in their folder, is newer. */
  async #takeAll(found: readonly Found[], scan: Scan): Promise<void> {
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
    // #set tells of the file itself; here it is about what was in a folder of that name.
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

  /** What is at or below a path can be read, or is gone. */
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
      // A file that was in its place is gone, whatever is in the folder.
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
    await this.#takeAll(found, inside);
  }

  #entryAt(path: string): Entry | undefined {
    return this.#folders.get(dirname(path))?.get(basename(path));
  }

  /** Sets what stands at a path in a known folder; adds what has changed by that, all below it included. */
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

/** The stamp of the file at a path; undefined where there is none that can be read. */
export async function stampAt(path: string): Promise<Stamp | undefined> {
  const found = await find(path);
  return "entry" in found && typeof found.entry === "string" ? found.entry : undefined;
}

/** The bytes of a file with this stamp. */
export function sizeIn(stamp: Stamp): number {
  return Number(stamp.split(":")[1]);
}

/**
 * The stamp in a stat result. A device's number is left out: it may be another one after a restart. Milliseconds are as
 * exact as file systems are.
 */
function stampOf(info: Deno.FileInfo): Stamp {
  return `${info.ino}:${info.size}:${info.mtime?.getTime()}`;
}
