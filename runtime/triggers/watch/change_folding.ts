// Folds all changes of a file into one event, or none. Pure.
//
// Decision: files are compared, events are not added up. The events of the file system are hints (a rename comes as
// three of them, a burst loses some). The state of a file before and now is certain.
import { type Stamp, type Transition, UNREAD } from "../../folders/folder_snapshot.ts";
import type { FileEvent } from "../../vocabulary/run_cause.ts";
import { type ChangeOrigin, mergeOrigins } from "./trigger_breaker.ts";

function foldChange(before: Stamp | null, now: Stamp | null): FileEvent | undefined {
  if (before === now || before === UNREAD || now === UNREAD) return undefined;
  if (before === null) return "created";
  return now === null ? "deleted" : "modified";
}

/** Merges two events that no run has seen; undefined when they cancel each other. */
export function mergeEvents(first: FileEvent, second: FileEvent): FileEvent | undefined {
  if (first === "created") return second === "deleted" ? undefined : first;
  if (second === "deleted") return second;
  if (first === "deleted" || second === "created") return "modified";
  return second === "moved" ? second : first;
}

/** A path that has been quiet for long enough. */
export interface SettledPath {
  path: string;
  /** Undefined when the changes canceled each other. */
  event: FileEvent | undefined;
  /** The file before and now; null: absent. */
  before: Stamp | null;
  stamp: Stamp | null;
  /** The run that its changes may come from. */
  origin: ChangeOrigin;
}

interface Unsettled {
  before: Stamp | null;
  now: Stamp | null;
  /** The file at the time when it appeared where there was none. */
  arrived: Stamp | null;
  /** The time of the last change. */
  at: number;
  origin: ChangeOrigin;
}

/** The changed paths of one agent that are not quiet yet. */
export class ChangeFolding {
  /** Least recently changed first. */
  readonly #paths = new Map<string, Unsettled>();
  /** Paths whose file is gone, by its last stamp; and paths where a file appeared, by its first stamp. */
  readonly #left = new Map<Stamp, string>();
  readonly #arrived = new Map<Stamp, string>();

  get size(): number {
    return this.#paths.size;
  }

  /**
   * Returns the last change time of the path that has been quiet for longest and is not held; undefined when there is
   * none.
   */
  oldest(isHeld: (path: string) => boolean): number | undefined {
    for (const [path, one] of this.#paths) if (!isHeld(path) && !this.#isMoved(one)) return one.at;
    return undefined;
  }

  /** Returns true when a due path is about to settle as deleted. */
  hasDeletion(dueBefore: number): boolean {
    for (const { at, before, now } of this.#paths.values()) {
      if (at > dueBefore) return false;
      if (foldChange(before, now) === "deleted") return true;
    }
    return false;
  }

  /** Adds a change. Its path starts waiting again. */
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

  /** Drops the changes of other paths. */
  keepOnly(isKept: (path: string) => boolean): void {
    for (const [path, one] of this.#paths) {
      if (foldChange(one.before, one.now) !== undefined && !isKept(path)) this.#remove(path, one);
    }
  }

  /**
   * Removes and returns the paths unchanged since `dueBefore` (milliseconds since the epoch), oldest first, without
   * held ones.
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

  /** Returns true when the file moved to another path. The change settles with that path. */
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
