// What is in a watched folder, as far as it has been looked at; each look tells what has changed since the one before.
// Symlinks are left out: what they lead to would change without a word, or lead round in a circle.
import { dirname, join } from "node:path";
import { isBelow } from "../files/path_below.ts";
import type { Stamp, Transition } from "./change_folding.ts";
import { type Entry, FOLDER, FolderSnapshot, stampOf } from "./folder_snapshot.ts";
import { inGroups } from "./in_groups.ts";

const STATS_AT_ONCE = 32;

/** What belongs to a view. */
export interface FolderViewOptions {
  /** With all folders in it. */
  recursive: boolean;
  /** The only name that matters, where it is a file that is watched. */
  only: string | undefined;
  /** Folders and files (absolute, real) that are never looked at. */
  isSkipped: (path: string) => boolean;
  /** Ends a look that takes long. */
  signal: AbortSignal;
}

interface Found {
  path: string;
  entry: Entry;
}

/** One folder. Looks must not overlap. */
export class FolderView {
  readonly #root: string;
  readonly #options: FolderViewOptions;
  readonly #snapshot: FolderSnapshot;
  #newFolders: string[] = [];

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

  /** Folders found since this was asked last: what was put into them in their first moments may have been missed. */
  takeNewFolders(): string[] {
    const folders = this.#newFolders;
    this.#newFolders = [];
    return folders;
  }

  /** Looks at everything. */
  async lookAtAll(): Promise<Transition[]> {
    const { only } = this.#options;
    return only === undefined
      ? await this.#lookInto(this.#root)
      : await this.look([join(this.#root, only)]);
  }

  /** Looks at these paths, and at what is below them where they are folders. */
  async look(paths: readonly string[]): Promise<Transition[]> {
    const places = new Set(paths.flatMap((path) => this.#firstUnknown(path) ?? []));
    return await this.#noteAll(
      await inGroups([...places], {
        size: STATS_AT_ONCE,
        work: async (path) => ({ path, entry: await entryAt(path) }),
      }),
    );
  }

  /** The path, or the first folder on the way to it that is not known yet; undefined where nobody wants to look. */
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
  async #noteAll(found: readonly Found[]): Promise<Transition[]> {
    const changes: Transition[] = [];
    const folders: string[] = [];
    for (const { path, entry } of found) {
      const isFolder = entry === FOLDER && (this.#options.recursive || path === this.#root);
      if (isFolder) folders.push(path);
      else if (path !== this.#root) {
        addAll(changes, this.#snapshot.set(path, entry === FOLDER ? null : entry));
      }
    }
    for (const folder of folders) addAll(changes, await this.#lookInto(folder));
    return changes;
  }

  async #lookInto(folder: string): Promise<Transition[]> {
    const entries = this.#options.signal.aborted ? undefined : await entriesOf(folder);
    // Not readable now: what was in it is still there as far as anybody knows.
    if (entries === undefined) return [];
    if (entries === null) return folder === this.#root ? [] : this.#snapshot.set(folder, null);
    if (!this.#snapshot.isFolder(folder)) this.#newFolders.push(folder);
    const changes = folder === this.#root ? [] : this.#snapshot.set(folder, FOLDER);
    const names = new Set(entries.map(({ name }) => name));
    for (const name of this.#snapshot.namesIn(folder)) {
      if (!names.has(name)) addAll(changes, this.#snapshot.set(join(folder, name), null));
    }
    const wanted = entries.filter(({ name }) => !this.#options.isSkipped(join(folder, name)));
    const found = await inGroups(wanted, {
      size: STATS_AT_ONCE,
      work: async ({ name, isFile, isDirectory }): Promise<Found> => {
        const path = join(folder, name);
        const entry = isFile ? await entryAt(path) : isDirectory ? FOLDER : null;
        return { path, entry };
      },
    });
    return [...changes, ...await this.#noteAll(found)];
  }
}

async function entryAt(path: string): Promise<Entry> {
  try {
    const info = await Deno.lstat(path);
    if (info.isFile) return stampOf(info);
    return info.isDirectory ? FOLDER : null;
  } catch {
    // Gone; and what cannot be looked at is not there for an agent.
    return null;
  }
}

/** Null: the folder is gone; undefined: it cannot be read. */
async function entriesOf(folder: string): Promise<Deno.DirEntry[] | null | undefined> {
  try {
    return await Array.fromAsync(Deno.readDir(folder));
  } catch (error) {
    const isGone = error instanceof Deno.errors.NotFound ||
      error instanceof Deno.errors.NotADirectory;
    return isGone ? null : undefined;
  }
}

/** One by one: as the arguments of one call, very many changes are more than the stack holds. */
function addAll(changes: Transition[], more: readonly Transition[]): void {
  for (const change of more) changes.push(change);
}
