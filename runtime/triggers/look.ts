// What one look at a watched folder has found. Pure.
import { dirname } from "node:path";
import type { Transition } from "./change_folding.ts";
import type { Unread } from "./unread_paths.ts";

/** What could be read for the first time, after it could not be; or is gone before it ever could. */
export interface FirstRead {
  /** Whether a path is, or lies in, what this is about. */
  covers: (path: string) => boolean;
  /** Files that were there when watching began. */
  known: Transition[];
  /** Files that came later. */
  fresh: Transition[];
}

/** What differs from the look before. */
export class Look {
  /** Folders that are new: what was put into them in their first moments may have been missed. */
  readonly newFolders: string[] = [];
  /** What cannot be read any more. */
  readonly lost: string[] = [];
  /** Why the first of them cannot be read. */
  reason: unknown;
  /** What can be read again, or is gone since. */
  readonly found: Unread[] = [];
  readonly #changes: Transition[] = [];

  add(changes: readonly Transition[]): void {
    // One by one: as the arguments of one call, very many changes are more than the stack holds.
    for (const change of changes) this.#changes.push(change);
  }

  lose(path: string, reason: unknown): void {
    if (this.lost.length === 0) this.reason = reason;
    this.lost.push(path);
  }

  /** How files differ from how they were last seen; those that were never seen because of an error apart. */
  sort(): { changes: Transition[]; firstRead: FirstRead | undefined } {
    const never = new Map(
      this.found.filter(({ isKnown }) => !isKnown).map((unread) => [unread.path, unread]),
    );
    if (never.size === 0) return { changes: this.#changes, firstRead: undefined };
    const changes: Transition[] = [];
    const known: Transition[] = [];
    const fresh: Transition[] = [];
    for (const change of this.#changes) {
      const unread = nearest(never, change.path);
      if (unread === undefined) changes.push(change);
      else (unread.wasThere ? known : fresh).push(change);
    }
    const covers = (path: string) => nearest(never, path) !== undefined;
    return { changes, firstRead: { covers, known, fresh } };
  }
}

/** What stands for a path itself, or for the first folder on the way up from it. */
function nearest<Thing>(things: ReadonlyMap<string, Thing>, path: string): Thing | undefined {
  for (let place = path;; place = dirname(place)) {
    const found = things.get(place);
    if (found !== undefined || dirname(place) === place) return found;
  }
}
