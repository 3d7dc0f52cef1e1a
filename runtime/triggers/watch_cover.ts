// Which folders have to be watched so that everything asked for is, and nothing twice. Pure.
import { dirname } from "node:path";
import { isBelow } from "../files/path_below.ts";

/** A folder to watch: absolute, real. */
export interface WatchedFolder {
  folder: string;
  /** With all folders in it. */
  recursive: boolean;
}

/** Whether both ask for the same watch. */
export function isSameFolder(a: WatchedFolder, b: WatchedFolder): boolean {
  return a.folder === b.folder && a.recursive === b.recursive;
}

/** Whether who watches `by` hears of all that happens in `folder`. */
export function isCovered(folder: WatchedFolder, by: WatchedFolder): boolean {
  return by.recursive
    ? isBelow(folder.folder, by.folder)
    : !folder.recursive && folder.folder === by.folder;
}

/** Folders by what they cover. A question costs as much as its folder is deep, however many folders there are. */
export class FolderCover<Folder extends WatchedFolder> {
  readonly #recursive = new Map<string, Folder>();
  readonly #flat = new Map<string, Folder>();

  constructor(folders: Iterable<Folder> = []) {
    for (const one of folders) this.add(one);
  }

  add(one: Folder): void {
    (one.recursive ? this.#recursive : this.#flat).set(one.folder, one);
  }

  has({ folder, recursive }: WatchedFolder): boolean {
    return (recursive ? this.#recursive : this.#flat).has(folder);
  }

  /** One of the folders that cover this one; undefined when none does. */
  covering({ folder, recursive }: WatchedFolder): Folder | undefined {
    for (let place = folder;; place = dirname(place)) {
      const found = this.#recursive.get(place);
      if (found !== undefined) return found;
      if (dirname(place) === place) return recursive ? undefined : this.#flat.get(folder);
    }
  }
}

/** The fewest folders that cover all of these. No two of them are watched recursively one inside of the other. */
export function coverOf(wanted: Iterable<WatchedFolder>): WatchedFolder[] {
  const cover = new FolderCover<WatchedFolder>();
  const chosen: WatchedFolder[] = [];
  // Outer folders first, so that each is compared with all that could cover it.
  const ordered = [...wanted].sort((a, b) =>
    Number(b.recursive) - Number(a.recursive) || a.folder.length - b.folder.length
  );
  for (const { folder, recursive } of ordered) {
    const one = { folder, recursive };
    if (cover.covering(one) !== undefined) continue;
    cover.add(one);
    chosen.push(one);
  }
  return chosen;
}
