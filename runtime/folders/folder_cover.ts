// Which folders have to be watched so that everything asked for is, and nothing twice. Pure.
import { dirname } from "node:path";

/** A folder to watch: absolute, real. */
export interface WatchedFolder {
  folder: string;
  /** With all folders in it. */
  recursive: boolean;
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
export function coverOf(wanted: readonly WatchedFolder[]): WatchedFolder[] {
  const cover = new FolderCover<WatchedFolder>();
  // Outer folders first, so that each is compared with all that could cover it.
  const ordered = wanted.toSorted((a, b) =>
    Number(b.recursive) - Number(a.recursive) || a.folder.length - b.folder.length
  );
  return ordered.filter((one) => {
    if (cover.covering(one) !== undefined) return false;
    cover.add(one);
    return true;
  });
}
