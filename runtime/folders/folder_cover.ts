// Calculates a minimal set of folders to watch for a list of requests. Has no side effects.
import { dirname } from "../../base/plain_path.ts";

/** A folder to watch. `folder` is its absolute path without symbolic links. */
export interface WatchedFolder {
  folder: string;
  /** True to include all subfolders. */
  recursive: boolean;
}

/**
 * An index of folders by the paths they cover. The time of a lookup depends on the depth of the path, not on the number of
 * folders.
 */
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

  /** Returns an indexed folder that covers the given one, or undefined. */
  covering({ folder, recursive }: WatchedFolder): Folder | undefined {
    for (let place = folder;; place = dirname(place)) {
      const found = this.#recursive.get(place);
      if (found !== undefined) return found;
      if (dirname(place) === place) return recursive ? undefined : this.#flat.get(folder);
    }
  }
}

/**
 * Returns the smallest set of folders that covers all given ones. None of them is inside another folder that is watched
 * recursively.
 */
export function coverOf(wanted: readonly WatchedFolder[]): WatchedFolder[] {
  const cover = new FolderCover<WatchedFolder>();
  // Outer folders come first, so that each folder is compared with all folders that could cover it.
  const ordered = wanted.toSorted((a, b) =>
    Number(b.recursive) - Number(a.recursive) || a.folder.length - b.folder.length
  );
  return ordered.filter((one) => {
    if (cover.covering(one) !== undefined) return false;
    cover.add(one);
    return true;
  });
}
