// What became of a file while it kept changing: many changes of one path fold into one event, or none. Pure.
//
// Decision: files are compared, events are not added up. What the file system tells are hints (a rename comes as three of
// them, a burst loses some); how a file looked before and how it looks now is certain.
import type { Stamp, Transition } from "../../folders/folder_snapshot.ts";
import type { FileEvent } from "../../run_cause.ts";
import { type ChangeOrigin, joinOrigins } from "./trigger_breaker.ts";

/** What happened between two looks at a path; undefined: nothing. */
function foldChange(before: Stamp | null, now: Stamp | null): FileEvent | undefined {
  if (before === now) return undefined;
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
  /** How it looks now; null: gone. */
  stamp: Stamp | null;
  /** What its changes may come from. */
  origin: ChangeOrigin;
}

interface Unsettled {
  before: Stamp | null;
  now: Stamp | null;
  /** How the file looked when it came to be where there was none. */
  arrived: Stamp | null;
  /** When it changed last. */
  at: number;
  origin: ChangeOrigin;
  /** Where the file that was here has gone. */
  movedAway: boolean;
  /** Where its file was before, if that path has settled already. */
  movedFrom: string | undefined;
}

/** The paths of one agent that have changed and are not quiet yet. */
export class ChangeFolding {
  /** Least recently changed first. */
  readonly #paths = new Map<string, Unsettled>();
  /** Paths whose file is gone, by how it looked; and such where a file appeared, by how it looked then. */
  readonly #left = new Map<Stamp, string>();
  readonly #arrived = new Map<Stamp, string>();
  /** Paths that have settled because their file went elsewhere, with what came to be there. */
  readonly #origins = new Map<string, Unsettled>();

  get size(): number {
    return this.#paths.size;
  }

  /** When the path that was quiet for longest changed last, of those that may settle; undefined when there is none. */
  oldest(isHeld: (path: string) => boolean): number | undefined {
    for (const [path, { at }] of this.#paths) if (!isHeld(path)) return at;
    return undefined;
  }

  /** Whether a path that is due is about to settle as deleted. */
  hasDeletion(dueBefore: number): boolean {
    for (const one of this.#paths.values()) {
      if (one.at > dueBefore) return false;
      if (foldChange(one.before, one.now) === "deleted") return true;
    }
    return false;
  }

  /** Adds a change; its path starts waiting anew. */
  note(
    { path, before, now }: Transition,
    { at, origin }: { at: number; origin: ChangeOrigin },
  ): void {
    const known = this.#paths.get(path);
    const former = now === null ? undefined : this.#forgetMove(path);
    const one = known ?? {
      before: former ?? before,
      now: before,
      arrived: null,
      at,
      origin,
      movedAway: false,
      movedFrom: undefined,
    };
    this.#unlink(path, one);
    if (one.now === null && now !== null) one.arrived = now;
    one.now = now;
    one.at = at;
    one.origin = joinOrigins(one.origin, origin);
    this.#paths.delete(path);
    this.#paths.set(path, one);
    if (one.before !== null && now === null) this.#left.set(one.before, path);
    if (one.before === null && now !== null && one.arrived !== null) {
      this.#arrived.set(one.arrived, path);
    }
  }

  /**
   * There is a file again where one was moved away from: for who knew that one, this is its next version, and what was
   * moved is a copy. Gives how the one before looked.
   */
  #forgetMove(path: string): Stamp | undefined {
    const moved = this.#origins.get(path);
    if (moved === undefined) return undefined;
    moved.movedFrom = undefined;
    this.#origins.delete(path);
    return moved.arrived ?? undefined;
  }

  /** Takes all out; gives how paths looked before their changes. */
  takeAll(): Map<string, Stamp | null> {
    const taken = new Map([...this.#paths].map(([path, { before }]) => [path, before]));
    for (const [path, one] of [...this.#paths]) this.#remove(path, one);
    return taken;
  }

  /** Takes out what has not changed since `dueBefore` (milliseconds since the epoch), oldest first; not what is held. */
  settle(dueBefore: number, isHeld: (path: string) => boolean = () => false): SettledPath[] {
    const settled: SettledPath[] = [];
    for (const [path, one] of this.#paths) {
      if (one.at > dueBefore) break;
      if (isHeld(path)) continue;
      const { now: stamp, origin, movedFrom } = one;
      const event = this.#eventOf(path, one);
      settled.push({ path, event, stamp, origin });
      // A file that was moved and then removed: what the agent knew of is the place it came from.
      if (event === undefined && movedFrom !== undefined) {
        settled.push({ path: movedFrom, event: "deleted", stamp: null, origin });
      }
      this.#remove(path, one);
    }
    return settled;
  }

  #eventOf(path: string, one: Unsettled): FileEvent | undefined {
    const event = foldChange(one.before, one.now);
    if (event === "created") {
      if (one.movedFrom !== undefined) return "moved";
      const source = this.#find(this.#left, one.arrived);
      if (source === undefined) return event;
      source.movedAway = true;
      return "moved";
    }
    if (event === "deleted") {
      if (one.movedAway) return undefined;
      const target = this.#find(this.#arrived, one.before);
      if (target === undefined) return event;
      target.movedFrom = path;
      this.#origins.set(path, target);
      return undefined;
    }
    return event;
  }

  #find(index: ReadonlyMap<Stamp, string>, stamp: Stamp | null): Unsettled | undefined {
    const path = stamp === null ? undefined : index.get(stamp);
    return path === undefined ? undefined : this.#paths.get(path);
  }

  #remove(path: string, one: Unsettled): void {
    this.#paths.delete(path);
    if (one.movedFrom !== undefined) this.#origins.delete(one.movedFrom);
    this.#unlink(path, one);
  }

  #unlink(path: string, { before, arrived }: Unsettled): void {
    if (before !== null && this.#left.get(before) === path) this.#left.delete(before);
    if (arrived !== null && this.#arrived.get(arrived) === path) this.#arrived.delete(arrived);
  }
}
