// What became of a file while it kept changing: many changes of one path fold into one event, or none. Pure.
//
// Decision: files are compared, events are not added up. What the file system tells are hints (a rename comes as three of
// them, a burst loses some); how a file was before and how it is now is certain.
import { type Stamp, type Transition, UNREAD } from "../../folders/folder_snapshot.ts";
import type { FileEvent } from "../../run_cause.ts";
import { type ChangeOrigin, joinOrigins } from "./trigger_breaker.ts";

function foldChange(before: Stamp | null, now: Stamp | null): FileEvent | undefined {
  if (before === now || before === UNREAD || now === UNREAD) return undefined;
  if (before === null) return "created";
  return now === null ? "deleted" : "modified";
}

/** One event for two that nobody has heard of yet; undefined: for who has heard of neither, nothing happened. */
export function foldEvents(first: FileEvent, second: FileEvent): FileEvent | undefined {
  if (first === "created") return second === "deleted" ? undefined : first;
  if (second === "deleted") return second;
  if (first === "deleted" || second === "created") return "modified";
  return second === "moved" ? second : first;
}

/** A path that has been quiet for long enough. */
export interface SettledPath {
  path: string;
  /** Undefined: after all, nothing happened that anybody needs to know of. */
  event: FileEvent | undefined;
  /** How its file was, and how it is now; null: gone. */
  before: Stamp | null;
  stamp: Stamp | null;
  /** What its changes may come from. */
  origin: ChangeOrigin;
}

interface Unsettled {
  before: Stamp | null;
  now: Stamp | null;
  /** How the file was when it came to be where there was none. */
  arrived: Stamp | null;
  /** When it changed last. */
  at: number;
  origin: ChangeOrigin;
}

/** The paths of one agent that have changed and are not quiet yet. */
export class ChangeFolding {
  /** Least recently changed first. */
  readonly #paths = new Map<string, Unsettled>();
  /** Paths whose file is gone, by how it was; and such where a file appeared, by how it was then. */
  readonly #left = new Map<Stamp, string>();
  readonly #arrived = new Map<Stamp, string>();

  get size(): number {
    return this.#paths.size;
  }

  /** When the path that was quiet for longest changed last, of those that may settle; undefined when there is none. */
  oldest(isHeld: (path: string) => boolean): number | undefined {
    for (const [path, one] of this.#paths) if (!isHeld(path) && !this.#isMoved(one)) return one.at;
    return undefined;
  }

  /** Whether a path that is due is about to settle as deleted. */
  hasDeletion(dueBefore: number): boolean {
    for (const { at, before, now } of this.#paths.values()) {
      if (at > dueBefore) return false;
      if (foldChange(before, now) === "deleted") return true;
    }
    return false;
  }

  /** Adds a change; its path starts waiting anew. */
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
    one.origin = joinOrigins(one.origin, origin);
    this.#paths.set(path, one);
    const event = foldChange(one.before, now);
    if (event === "deleted" && one.before !== null) this.#left.set(one.before, path);
    if (event === "created" && one.arrived !== null) this.#arrived.set(one.arrived, path);
  }

  /** Drops the events of other paths. */
  keepOnly(isKept: (path: string) => boolean): void {
    for (const [path, one] of this.#paths) {
      if (foldChange(one.before, one.now) !== undefined && !isKept(path)) this.#remove(path, one);
    }
  }

  /** Takes out what has not changed since `dueBefore` (milliseconds since the epoch), oldest first; not what is held. */
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

  /** Whether a file has gone to another path: it settles with that one. */
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
