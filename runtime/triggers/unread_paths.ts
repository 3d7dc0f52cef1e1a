// What is in a watched folder but cannot be read now: no free descriptor, a disk's error, no right to. What was known of it
// stays true until it can be read again. Pure.
import { dirname } from "node:path";
import { isBelow } from "../files/path_below.ts";

/** A file or folder that cannot be read. */
export interface Unread {
  path: string;
  /** Whether it was read before. */
  isKnown: boolean;
  /** Whether it was there when watching began: then what is in it is not news. */
  wasThere: boolean;
}

/** Files and folders that cannot be read, absolute. */
export class UnreadPaths {
  readonly #paths = new Map<string, Unread>();

  get all(): string[] {
    return [...this.#paths.keys()];
  }

  /** Notes a path; one that is noted stays what it is. Returns whether it is new. */
  add(unread: Unread): boolean {
    if (this.#paths.has(unread.path)) return false;
    this.#paths.set(unread.path, unread);
    return true;
  }

  /** Whether there is one of which nothing is known. */
  get isHiding(): boolean {
    return [...this.#paths.values()].some(({ isKnown }) => !isKnown);
  }

  /** Whether nothing is known of a path, because it, or a folder on the way to it, could never be read. */
  hides(path: string): boolean {
    if (this.#paths.size === 0) return false;
    for (let place = path;; place = dirname(place)) {
      if (this.#paths.get(place)?.isKnown === false) return true;
      if (dirname(place) === place) return false;
    }
  }

  /** Takes out a path that has been read. */
  takeRead(path: string): Unread[] {
    return this.#paths.has(path) ? this.#take((unread) => unread.path === path) : [];
  }

  /** Takes out what is gone with a path. */
  takeGone(path: string): Unread[] {
    return this.#take((unread) => isBelow(unread.path, path));
  }

  /** Takes out what lay in a folder that has been read, and is not there any more. */
  takeMissing(folder: string, isThere: (path: string) => boolean): Unread[] {
    return this.#take((unread) => dirname(unread.path) === folder && !isThere(unread.path));
  }

  #take(isMeant: (unread: Unread) => boolean): Unread[] {
    if (this.#paths.size === 0) return [];
    const taken = [...this.#paths.values()].filter(isMeant);
    for (const { path } of taken) this.#paths.delete(path);
    return taken;
  }
}
