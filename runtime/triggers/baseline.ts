// What an agent's watch begins with: how files looked when the agent was last told of them, and what was there but could not
// be read. What is found later is news only by comparison with it. Pure.
import type { SettledPath, Stamp, Transition } from "./change_folding.ts";
import { FROM_OUTSIDE } from "./change_origin.ts";
import { isIn } from "./scan_result.ts";
import { type RememberedFiles, UNREAD } from "./seen_files.ts";

/** Changes, and files that have not changed: whoever remembers files remembers these, too. */
export interface Compared {
  changes: Transition[];
  old: SettledPath[];
}

/** One agent's beginning. */
export class Baseline {
  /** Undefined: nothing is remembered, or all has been compared. */
  #files: Map<string, Stamp> | undefined;
  readonly #unread: Set<string>;

  constructor(remembered: RememberedFiles | undefined) {
    this.#files = remembered === undefined ? undefined : new Map(remembered.files);
    this.#unread = new Set(remembered?.unread);
  }

  /** Whether files have to be compared with it. */
  get isRemembered(): boolean {
    return this.#files !== undefined;
  }

  /** Everything has been compared. */
  forgetFiles(): void {
    this.#files = undefined;
  }

  /** What could not be read, and counts as having been there. */
  get unread(): readonly string[] {
    return [...this.#unread];
  }

  /** Whether nothing is known of a path but that it may have been there. */
  isUnread(path: string): boolean {
    return isIn(path, this.#unread);
  }

  /** How a file looked; null: nothing is remembered of one. */
  stampOf(path: string): Stamp | null {
    return this.#files?.get(path) ?? null;
  }

  /** Whether a path, or anything in it, is known to have been there. */
  knows(place: string): boolean {
    if (this.isUnread(place)) return true;
    const places = new Set([place]);
    return [...this.#files?.keys() ?? []].some((path) => isIn(path, places));
  }

  /** Counts these as having been there, too. */
  addUnread(paths: Iterable<string>): void {
    for (const path of paths) this.#unread.add(path);
  }

  /** Leaves out what has been read, or what came while it could not be; returns it. */
  keepUnread(isKept: (path: string) => boolean): string[] {
    return [...this.#unread].filter((path) => !isKept(path) && this.#unread.delete(path));
  }

  /** How files differ from what is remembered of them. `gone` says of a remembered file that is not among them. */
  compare(
    files: ReadonlyMap<string, Stamp>,
    isGone: (path: string) => boolean,
  ): Compared {
    const changes: Transition[] = [];
    const old: SettledPath[] = [];
    for (const [path, now] of files) {
      const before = this.#files?.get(path) ?? null;
      if (before === null && this.isUnread(path)) old.push(toOld(path, now));
      else if (before !== now) changes.push({ path, before, now });
    }
    for (const [path, before] of this.#files ?? []) {
      if (!files.has(path) && isGone(path)) changes.push({ path, before, now: null });
    }
    return { changes, old };
  }

  /** The same where nothing is remembered: what was there is old, all else is new. */
  sort(changes: readonly Transition[]): Compared {
    const isOld = ({ path }: Transition) => this.isUnread(path);
    return {
      changes: changes.filter((change) => !isOld(change)),
      old: changes.filter(isOld).map(({ path, now }) => toOld(path, now)),
    };
  }

  /** The agent is told: what comes to be readable later is compared with that. */
  told(paths: readonly SettledPath[]): void {
    for (const { path, stamp } of this.#files === undefined ? [] : paths) {
      if (stamp === null) this.#files?.delete(path);
      else if (stamp !== UNREAD) this.#files?.set(path, stamp);
    }
  }

  /**
   * These places have been read, or are gone; `hidden` is what still cannot be read, which may lie in them. Returns what is
   * to be remembered instead.
   */
  read(places: ReadonlySet<string>, hidden: readonly string[]): SettledPath[] {
    const read = new Set([...places].filter((path) => this.#unread.delete(path)));
    const still = hidden.filter((path) => isIn(path, read) && !this.#unread.has(path));
    this.addUnread(still);
    return [
      // A file that was seen meanwhile, through another path that is watched, stays remembered.
      ...[...read].map((path) => toOld(path, this.stampOf(path))),
      ...still.map((path) => toOld(path, UNREAD)),
    ];
  }
}

/** What is only to be remembered: nothing happened. A null stamp forgets the path. */
export function toOld(path: string, stamp: Stamp | null): SettledPath {
  return { path, event: undefined, stamp, origin: FROM_OUTSIDE };
}
