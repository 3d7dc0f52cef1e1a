// What is in a watched folder but cannot be read now: no free descriptor, a disk's error, no right to. What was known of it
// stays true until it can be read again; of what could never be read nothing is known: it is hidden. Pure.
import { dirname } from "node:path";
import { isBelow } from "../files/path_below.ts";

/** A file or folder that could not be read. */
export interface Unread {
  path: string;
  /** Whether it never could. */
  isHidden: boolean;
}

/** Files and folders that cannot be read, absolute. */
export class UnreadPaths {
  readonly #paths = new Map<string, Unread>();
  /** How many of them lie below a folder: most paths have none, and must not cost a search. */
  readonly #below = new Map<string, number>();
  /** Those that lie in a folder itself. */
  readonly #children = new Map<string, Set<string>>();

  get all(): string[] {
    return [...this.#paths.keys()];
  }

  get hidden(): string[] {
    return [...this.#paths.values()].filter(({ isHidden }) => isHidden).map(({ path }) => path);
  }

  /** Notes a path; one that is noted stays what it is. Returns whether it is new. */
  add(unread: Unread): boolean {
    if (this.#paths.has(unread.path)) return false;
    const { path } = unread;
    this.#paths.set(path, unread);
    this.#count(path, 1);
    const folder = dirname(path);
    this.#children.set(folder, (this.#children.get(folder) ?? new Set()).add(path));
    return true;
  }

  /** Whether nothing is known of a path, because it, or a folder on the way to it, is hidden. */
  hides(path: string): boolean {
    if (this.#paths.size === 0) return false;
    return nearest(path, (place) => this.#paths.get(place)?.isHidden === true) !== undefined;
  }

  /** Takes out a path that has been read. */
  takeRead(path: string): Unread[] {
    const unread = this.#paths.get(path);
    if (unread === undefined) return [];
    this.#paths.delete(path);
    this.#count(path, -1);
    const siblings = this.#children.get(dirname(path));
    siblings?.delete(path);
    if (siblings?.size === 0) this.#children.delete(dirname(path));
    return [unread];
  }

  /** Takes out what is gone with a path. */
  takeGone(path: string): Unread[] {
    const below = this.#below.has(path)
      ? this.all.filter((one) => one !== path && isBelow(one, path))
      : [];
    return [path, ...below].flatMap((one) => this.takeRead(one));
  }

  /** Takes out what lay in a folder that has been read, and is not there any more. */
  takeMissing(folder: string, isThere: (path: string) => boolean): Unread[] {
    const children = [...this.#children.get(folder) ?? []];
    return children.filter((path) => !isThere(path)).flatMap((path) => this.takeRead(path));
  }

  #count(path: string, by: number): void {
    for (let folder = dirname(path);; folder = dirname(folder)) {
      const count = (this.#below.get(folder) ?? 0) + by;
      if (count === 0) this.#below.delete(folder);
      else this.#below.set(folder, count);
      if (dirname(folder) === folder) return;
    }
  }
}

/** The path itself, or the first folder on the way up from it, that fits. */
export function nearest(path: string, fits: (place: string) => boolean): string | undefined {
  for (let place = path;; place = dirname(place)) {
    if (fits(place)) return place;
    if (dirname(place) === place) return undefined;
  }
}
