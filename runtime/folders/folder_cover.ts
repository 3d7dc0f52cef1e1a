// Computes the folders to watch, so that every request is covered once. Pure.
import { dirname } from "node:path";

/** A folder to watch. Its path is absolute and real. */
export interface WatchedFolder {
  folder: string;
  /** True to include all subfolders. */
  recursive: boolean;
}

/** An index of folders by the paths they cover. A lookup costs the depth of its folder, whatever the number of folders. */
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

  /** Returns a folder that covers this one, or undefined. */
  covering({ folder, recursive }: WatchedFolder): Folder | undefined {
    for (let place = folder;; place = dirname(place)) {
      const found = this.#recursive.get(place);
      if (found !== undefined) return found;
      if (dirname(place) === place) return recursive ? undefined : this.#flat.get(folder);
    }
  }
}

/** Returns the fewest folders that cover all of these. None is inside another one that is watched recursively. */
export function coverOf(wanted: readonly WatchedFolder[]): WatchedFolder[] {
  const cover = new FolderCover<WatchedFolder>();
  // Outer folders first, so that each is compared with every folder that could cover it.
  const ordered = wanted.toSorted((a, b) =>
    Number(b.recursive) - Number(a.recursive) || a.folder.length - b.folder.length
  );
  return ordered.filter((one) => {
    if (cover.covering(one) !== undefined) return false;
    cover.add(one);
    return true;
  });
}
