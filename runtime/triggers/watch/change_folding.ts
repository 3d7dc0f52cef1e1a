// Combines all changes of a file into one event, or none. Has no side effects.
//
// Decision: the state of a file before and after is compared; the events of the file system are only hints. A rename
// produces three events, and in a burst some are lost. The two states are certain.
import { type Stamp, type Transition, UNREAD } from "../../folders/folder_snapshot.ts";
import type { FileEvent } from "../../vocabulary/run_cause.ts";
import { type ChangeOrigin, mergeOrigins } from "./trigger_breaker.ts";

function foldChange(before: Stamp | null, now: Stamp | null): FileEvent | undefined {
  if (before === now || before === UNREAD || now === UNREAD) return undefined;
  if (before === null) return "created";
  return now === null ? "deleted" : "modified";
}

/** Returns the event that results from two successive events of a path, or undefined if they cancel each other. */
export function mergeEvents(first: FileEvent, second: FileEvent): FileEvent | undefined {
  if (first === "created") return second === "deleted" ? undefined : first;
  if (second === "deleted") return second;
  if (first === "deleted" || second === "created") return "modified";
  return second === "moved" ? second : first;
}

/** The combined change of a path that has had no further change for the debounce time. */
export interface SettledPath {
  path: string;
  /** The combined event; undefined if the changes canceled each other. */
  event: FileEvent | undefined;
  /** The stamp before the changes; null if there was no file. */
  before: Stamp | null;
  stamp: Stamp | null;
  /** The run that may have made the changes. */
  origin: ChangeOrigin;
}

interface Unsettled {
  before: Stamp | null;
  now: Stamp | null;
  /** The first stamp of the file after the path had none; null if no file appeared. */
  arrived: Stamp | null;
  /** The time of the last change, in milliseconds since the epoch. */
  at: number;
  origin: ChangeOrigin;
}

/** Collects the changes of one agent's paths until each path has been quiet for the debounce time. */
export class ChangeFolding {
  /** The collected changes by path, least recently changed first. */
  readonly #paths = new Map<string, Unsettled>();
  /**
   * The paths of deleted files by their last stamp. With `#arrived` (paths of new files by their first stamp) it detects
   * moved files.
   */
  readonly #left = new Map<Stamp, string>();
  readonly #arrived = new Map<Stamp, string>();

  get size(): number {
    return this.#paths.size;
  }

  /** Returns the time of the least recent change among the paths that are not held; undefined if there is none. */
  oldest(isHeld: (path: string) => boolean): number | undefined {
    for (const [path, one] of this.#paths) if (!isHeld(path) && !this.#isMoved(one)) return one.at;
    return undefined;
  }

  /** Returns true if a deletion is among the changes up to `dueBefore` (milliseconds since the epoch). */
  hasDeletion(dueBefore: number): boolean {
    for (const { at, before, now } of this.#paths.values()) {
      if (at > dueBefore) return false;
      if (foldChange(before, now) === "deleted") return true;
    }
    return false;
  }

  /** Adds a change. The debounce time of its path restarts. */
  note(
    { path, before, now }: Transition,
    { at, origin }: { at: number; origin: ChangeOrigin },
  ): void {
    const one = this.#paths.get(path) ?? { before, now: before, arrived: null, at, origin };
    this.#remove(path, one);
    if (before === UNREAD) one.before = before;
    if (one.now === null && now !== null) one.arrived = now;
    one.now = now;
    one.at = at;
    one.origin = mergeOrigins(one.origin, origin);
    this.#paths.set(path, one);
    const event = foldChange(one.before, now);
    if (event === "deleted" && one.before !== null) this.#left.set(one.before, path);
    if (event === "created" && one.arrived !== null) this.#arrived.set(one.arrived, path);
  }

  /** Drops the changes of all paths that `isKept` rejects. */
  keepOnly(isKept: (path: string) => boolean): void {
    for (const [path, one] of this.#paths) {
      if (foldChange(one.before, one.now) !== undefined && !isKept(path)) this.#remove(path, one);
    }
  }

  /**
   * Removes and returns the paths without a change after `dueBefore` (milliseconds since the epoch), oldest first. Held
   * paths stay.
   */
  settle(dueBefore: number, isHeld: (path: string) => boolean = () => false): SettledPath[] {
    const settled: SettledPath[] = [];
    for (const [path, one] of this.#paths) {
      if (one.at > dueBefore) break;
      if (isHeld(path) || this.#isMoved(one)) continue;
      const { before, now: stamp, origin, arrived } = one;
      const event = foldChange(before, stamp);
      const from = event === "created" && arrived !== null ? this.#left.get(arrived) : undefined;
      const source = from === undefined ? undefined : this.#paths.get(from);
      this.#remove(path, one);
      settled.push({ path, event: source === undefined ? event : "moved", before, stamp, origin });
      if (from === undefined || source === undefined) continue;
      this.#remove(from, source);
      settled.push({ path: from, event: undefined, before: arrived, stamp: null, origin });
    }
    return settled;
  }

  /** Returns true if the file moved to another path. The change of the other path then includes this removal. */
  #isMoved({ before, now }: Unsettled): boolean {
    return before !== null && now === null && this.#arrived.has(before);
  }

  #remove(path: string, one: Unsettled): void {
    const { before, arrived } = one;
    this.#paths.delete(path);
    if (before !== null && this.#left.get(before) === path) this.#left.delete(before);
    if (arrived !== null && this.#arrived.get(arrived) === path) this.#arrived.delete(arrived);
  }
}
