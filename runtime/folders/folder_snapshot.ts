// What is in a watched folder, as last seen; each scan tells what has changed since the one before. Symlinks are left out:
// what they lead to would change without a word, or lead round in a circle.
//
// Decision: only what the system says is not there is gone. What cannot be read counts as it was. Of a folder that could not
// be read in the beginning, the first whole scan is the beginning: what is in it then is no news.
import { basename, dirname, join } from "node:path";
import { isMissing } from "../../base/files/missing.ts";
import { isBelow } from "../../base/files/path_below.ts";
import { inGroups } from "./in_groups.ts";

const STATS_AT_ONCE = 32;

/** What a file's content can be told by, without reading it. Equal stamps: the same content, even at another path. */
export type Stamp = string;

/** A file that looks different from a moment ago; null: there is none. */
export interface Transition {
  path: string;
  before: Stamp | null;
  now: Stamp | null;
}

/** What one scan has found. */
export interface ScanResult {
  changes: Transition[];
  /** Files that were there before they could be read. */
  old: Transition[];
  /** Folders that are new: what was put into them in their first moments may have been missed. */
  newFolders: string[];
  /** What cannot be read any more, and why; whether it was there in the beginning, and never could. */
  lost: { path: string; error: unknown; isHidden: boolean }[];
  /** What could not be read before, and can be now, or is gone. */
  read: string[];
  /** Whether a folder is among it, which may not be watched. */
  hasFoundFolder: boolean;
}

/** Whether a scan has found anything that was not known. */
export function isNews({ changes, old, read, lost }: ScanResult): boolean {
  return changes.length + old.length + read.length + lost.length > 0;
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
/** What a look at a path has found; null: nothing that counts. */
type Found = { path: string; entry: Entry | null } | { path: string; error: unknown };

/** One folder. Scans must not overlap. */
export class FolderSnapshot {
  readonly #root: string;
  readonly #options: FolderSnapshotOptions;
  /** The entries of each folder that has been read, by name. */
  readonly #folders = new Map<string, Map<string, Entry>>();
  /** What cannot be read now, and whether all in it was there in the beginning. */
  readonly #unread = new Map<string, boolean>();
  #size = 0;

  /** `root` is absolute and real. */
  constructor(root: string, options: FolderSnapshotOptions) {
    this.#root = root;
    this.#options = options;
    if (options.only !== undefined) this.#folders.set(root, new Map());
  }

  /** Whether it holds more than it may: then only a part of it is known. */
  get isTooLarge(): boolean {
    return this.#size > this.#options.most;
  }

  /** Files and folders that cannot be read now. */
  get unread(): string[] {
    return [...this.#unread.keys()];
  }

  /** Whether a path, or a folder on the way to it, cannot be read now. */
  isUnread(path: string): boolean {
    for (let place = path; this.#unread.size > 0; place = dirname(place)) {
      if (this.#unread.has(place)) return true;
      if (place === this.#root || dirname(place) === place) return false;
    }
    return false;
  }

  /** A file's stamp; null where no file is known. */
  stampAt(path: string): Stamp | null {
    const entry = this.#entryAt(path);
    return typeof entry === "string" ? entry : null;
  }

  /** Every file with its stamp, as last seen. */
  *files(): Generator<[path: string, stamp: Stamp]> {
    for (const [folder, entries] of this.#folders) {
      for (const [name, entry] of entries) if (entry !== FOLDER) yield [join(folder, name), entry];
    }
  }

  /** Scans everything. `isBeginning`: what is found first by this was there before, and is no news. */
  async scanAll({ isBeginning }: { isBeginning: boolean }): Promise<ScanResult> {
    return await this.#scan([this.#root], isBeginning);
  }

  /** Scans these paths, and what is below them where they are folders. */
  async scan(paths: readonly string[]): Promise<ScanResult> {
    return await this.#scan(paths, false);
  }

  async #scan(paths: readonly string[], isOld: boolean): Promise<ScanResult> {
    const result: ScanResult = {
      changes: [],
      old: [],
      newFolders: [],
      lost: [],
      read: [],
      hasFoundFolder: false,
    };
    const places = new Set(paths.flatMap((path) => this.#firstUnknown(path) ?? []));
    const found = await inGroups([...places], { size: STATS_AT_ONCE, work: lookAt });
    await this.#takeAll(found, { result, isOld });
    return result;
  }

  /** The path, or the first folder on the way to it that is not known yet; undefined where nobody wants a scan. */
  #firstUnknown(path: string): string | undefined {
    const { only, recursive, isSkipped } = this.#options;
    if (!isBelow(path, this.#root)) return undefined;
    if (only !== undefined) {
      const file = join(this.#root, only);
      return path === this.#root || path === file ? file : undefined;
    }
    let place = path;
    while (place !== this.#root && !this.#folders.has(dirname(place))) place = dirname(place);
    if (place === this.#root) return place;
    return !recursive && dirname(place) !== this.#root || isSkipped(place) ? undefined : place;
  }

  /** Files first: what is seen of them again in their folder is newer. */
  async #takeAll(
    found: readonly Found[],
    into: { result: ScanResult; isOld: boolean },
  ): Promise<void> {
    const folders: string[] = [];
    for (const one of found) {
      const { path } = one;
      if ("error" in one) this.#lose(one, into);
      else if (one.entry !== FOLDER) this.#takeFile(path, one.entry, into);
      else if (this.#options.recursive || path === this.#root) folders.push(path);
      else this.#takeFile(path, null, into);
    }
    for (const folder of folders) await this.#scanFolder(folder, into);
  }

  #takeFile(
    path: string,
    stamp: Stamp | null,
    { result, isOld }: { result: ScanResult; isOld: boolean },
  ): void {
    if (path === this.#root) return;
    const isFirst = isOld || this.#unread.get(path) === true;
    // Also what was in a folder of that name.
    if (this.#unread.has(path) || this.#folders.has(path)) this.#forgetUnread(path, result);
    this.#set(path, stamp, isFirst && stamp !== null ? result.old : result.changes);
  }

  #lose(
    { path, error }: { path: string; error: unknown },
    { result, isOld }: { result: ScanResult; isOld: boolean },
  ): void {
    if (this.#unread.has(path)) return;
    const isKnown = this.#folders.has(path) || this.stampAt(path) !== null;
    this.#unread.set(path, isOld && !isKnown);
    result.lost.push({ path, error, isHidden: isOld && !isKnown });
  }

  #forgetUnread(path: string, { read }: ScanResult): void {
    for (const one of this.#unread.keys()) {
      if (isBelow(one, path) && this.#unread.delete(one)) read.push(one);
    }
  }

  async #scanFolder(
    folder: string,
    { result, isOld }: { result: ScanResult; isOld: boolean },
  ): Promise<void> {
    if (this.#options.signal.aborted || this.isTooLarge) return;
    let entries: Deno.DirEntry[];
    try {
      entries = await Array.fromAsync(Deno.readDir(folder));
    } catch (error) {
      if (isMissing(error)) return this.#takeFile(folder, null, { result, isOld });
      // A file that was in its place is gone, whatever is in the folder.
      if (this.stampAt(folder) !== null) this.#set(folder, null, result.changes);
      return this.#lose({ path: folder, error }, { result, isOld });
    }
    const isNew = !this.#folders.has(folder);
    const wasHidden = this.#unread.get(folder) === true;
    const wasUnread = this.#unread.delete(folder);
    result.hasFoundFolder ||= wasUnread;
    if (wasUnread) result.read.push(folder);
    if (isNew) {
      result.newFolders.push(folder);
      if (folder !== this.#root) this.#set(folder, FOLDER, result.changes);
      this.#folders.set(folder, new Map());
    }
    const into = { result, isOld: isNew && (isOld || wasHidden) };
    const names = new Set(entries.map(({ name }) => name));
    for (const name of this.#folders.get(folder)?.keys() ?? []) {
      if (!names.has(name)) this.#takeFile(join(folder, name), null, into);
    }
    for (const path of this.#unread.keys()) {
      if (dirname(path) === folder && !names.has(basename(path))) this.#forgetUnread(path, result);
    }
    const found = await inGroups(entries, {
      size: STATS_AT_ONCE,
      work: async ({ name, isFile, isDirectory }): Promise<Found> => {
        const path = join(folder, name);
        if (this.#options.isSkipped(path)) return { path, entry: null };
        return isFile ? await lookAt(path) : { path, entry: isDirectory ? FOLDER : null };
      },
    });
    await this.#takeAll(found, into);
  }

  #entryAt(path: string): Entry | undefined {
    return this.#folders.get(dirname(path))?.get(basename(path));
  }

  /** Sets what stands at a path in a known folder; adds what has changed by that, all below it included. */
  #set(path: string, entry: Entry | null, changes: Transition[]): void {
    const siblings = this.#folders.get(dirname(path));
    const known = this.#entryAt(path);
    if (siblings === undefined || known === (entry ?? undefined)) return;
    if (known === FOLDER) this.#forget(path, changes);
    const before = typeof known === "string" ? known : null;
    const now = typeof entry === "string" ? entry : null;
    if (before !== now) changes.push({ path, before, now });
    this.#size += Number(entry !== null) - Number(known !== undefined);
    if (entry === null) siblings.delete(basename(path));
    else siblings.set(basename(path), entry);
  }

  #forget(folder: string, changes: Transition[]): void {
    const entries = this.#folders.get(folder) ?? new Map<string, Entry>();
    this.#size -= entries.size;
    this.#folders.delete(folder);
    for (const [name, entry] of entries) {
      const path = join(folder, name);
      if (entry === FOLDER) this.#forget(path, changes);
      else changes.push({ path, before: entry, now: null });
    }
  }
}

async function lookAt(path: string): Promise<Found> {
  try {
    const info = await Deno.lstat(path);
    return { path, entry: info.isFile ? stampOf(info) : info.isDirectory ? FOLDER : null };
  } catch (error) {
    return isMissing(error) ? { path, entry: null } : { path, error };
  }
}

/**
 * The stamp in a stat result. A device's number is left out: it may be another one after a restart. Milliseconds are as
 * exact as file systems are.
 */
function stampOf(info: Deno.FileInfo): Stamp {
  return `${info.ino}:${info.size}:${info.mtime?.getTime()}`;
}
