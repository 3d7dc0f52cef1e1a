// What one scan of a watched folder has found. Pure.
import type { Transition } from "./change_folding.ts";
import { nearest, type Unread } from "./unread_paths.ts";

/** What was hidden, and has been read for the first time; or is gone before it ever could. */
export interface FirstRead {
  places: ReadonlySet<string>;
  /** Those of them that could never be read before. */
  hidden: ReadonlySet<string>;
  /** The files in it, all of them new to whoever scanned. */
  changes: readonly Transition[];
}

/** What differs from the scan before. */
export class ScanResult {
  /** Folders that are new: what was put into them in their first moments may have been missed. */
  readonly newFolders: string[] = [];
  /** What cannot be read any more. */
  readonly lost: string[] = [];
  /** Why the first of them cannot be read. */
  reason: unknown;
  /** What can be read again, or is gone since. */
  readonly found: Unread[] = [];
  /** Whether a folder is among it. */
  hasFoundFolder = false;
  readonly #changes: Transition[] = [];
  /** What was asked for. */
  readonly #named: ReadonlySet<string>;
  /** Folders first seen inside of one that is hidden: what is in them was there, but for what was asked for. */
  readonly #beyond = new Set<string>();

  constructor(named: Iterable<string>) {
    this.#named = new Set(named);
  }

  reachBeyond(folder: string): void {
    this.#beyond.add(folder);
  }

  add(changes: readonly Transition[]): void {
    // One by one: as the arguments of one call, very many changes are more than the stack holds.
    for (const change of changes) this.#changes.push(change);
  }

  lose(path: string, reason: unknown): void {
    if (this.lost.length === 0) this.reason = reason;
    this.lost.push(path);
  }

  find(unread: readonly Unread[]): void {
    for (const one of unread) this.found.push(one);
  }

  /** How files differ from how they were last seen; those that could never be seen apart. */
  sort(): { changes: Transition[]; firstRead: FirstRead | undefined } {
    if (this.found.length === 0 && this.#beyond.size === 0) {
      return { changes: this.#changes, firstRead: undefined };
    }
    const places = new Set(this.found.map(({ path }) => path));
    const hidden = new Set(this.found.flatMap((one) => one.isHidden ? [one.path] : []));
    const isFirst = ({ path }: Transition) =>
      isIn(path, places) || isIn(path, this.#beyond) && !this.#named.has(path);
    return {
      changes: this.#changes.filter((change) => !isFirst(change)),
      firstRead: {
        places: places.union(this.#beyond),
        hidden: hidden.union(this.#beyond),
        changes: this.#changes.filter(isFirst),
      },
    };
  }
}

/** Whether a path is one of these places, or lies in one. */
export function isIn(path: string, places: ReadonlySet<string>): boolean {
  return places.size > 0 && nearest(path, (place) => places.has(place)) !== undefined;
}
