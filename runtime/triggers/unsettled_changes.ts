// The changes of one agent's files that nobody has been told of yet: each waits until its path has been quiet for a while, or,
// where all that is watched has vanished with it, until that is back.
import { sleepUnlessAborted } from "../bounded_wait.ts";
import type { Clock } from "../clock.ts";
import { ChangeFolding, type SettledPath, type Stamp, type Transition } from "./change_folding.ts";
import type { ChangeOrigin } from "./change_origin.ts";

const MAX_TOLD = 10_000;

/** What changes need in order to settle. */
export interface UnsettledChangesOptions {
  /** How long a path has to be quiet. */
  debounceMs: number;
  /** Whether one change may come twice, because places overlap. */
  mayRepeat: boolean;
  clock: Clock;
  /** What a change of a path that is noticed now may come from. */
  noticed: (path: string) => ChangeOrigin;
  /** Before a file is told as deleted: finds out whether all has vanished with it, which puts its change aside. */
  beforeDeletion: () => Promise<void>;
  /** Called with paths that are quiet. */
  onSettled: (paths: SettledPath[]) => void;
}

/** Changes that wait. */
export class UnsettledChanges implements AsyncDisposable {
  readonly #options: UnsettledChangesOptions;
  readonly #folding = new ChangeFolding();
  /** How files looked before changes that are put aside. */
  readonly #aside = new Map<string, Stamp | null>();
  /** How files looked when they settled. */
  readonly #told = new Map<string, Stamp | null>();
  readonly #over = new AbortController();
  #timing: Promise<void> | undefined;

  constructor(options: UnsettledChangesOptions) {
    this.#options = options;
  }

  /** Adds changes, which happen now. */
  note(changes: Iterable<Transition>): void {
    const { clock, noticed } = this.#options;
    for (const change of changes) {
      const { path, now } = change;
      if (this.#told.get(path) === now && !this.#folding.has(path)) continue;
      this.#folding.note(change, { at: clock.now(), origin: noticed(path) });
    }
    if (this.#folding.size > 0) this.#timing ??= this.#settleInTime();
  }

  /** Puts the changes of these paths aside: they must not settle until they are taken back, and noted again. */
  putAside(isMeant: (path: string) => boolean): void {
    for (const [path, before] of this.#folding.take(isMeant)) {
      if (!this.#aside.has(path)) this.#aside.set(path, before);
    }
  }

  /** Puts a path aside of which is known how it looked before it changed. */
  addAside(path: string, before: Stamp | null): void {
    this.#aside.set(path, before);
  }

  /** Takes these paths back that were put aside, with how they looked before they changed. */
  takeBack(isMeant: (path: string) => boolean): Map<string, Stamp | null> {
    const taken = new Map([...this.#aside].filter(([path]) => isMeant(path)));
    for (const path of taken.keys()) this.#aside.delete(path);
    return taken;
  }

  /** Takes all out, also what was put aside: paths, with how they looked before they changed. */
  takeAll(): [path: string, before: Stamp | null][] {
    return [...this.takeBack(() => true), ...this.#folding.take(() => true)];
  }

  /** Settles everything at once, but for what is put aside. */
  async settleAll(): Promise<void> {
    await this.#settle(Infinity);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await this.#timing;
  }

  async #settleInTime(): Promise<void> {
    const { clock, debounceMs } = this.#options;
    // Not before this is known as the one that does it.
    await Promise.resolve();
    for (let oldest; (oldest = this.#folding.oldest) !== undefined;) {
      const waitMs = Math.min(oldest + debounceMs - clock.now(), debounceMs);
      await sleepUnlessAborted(clock, Math.max(0, waitMs), this.#over.signal);
      if (this.#over.signal.aborted) return;
      const now = clock.now();
      // A clock that was set back must not make changes wait for it to come round again.
      await this.#settle(oldest > now ? oldest : now - debounceMs);
    }
    this.#timing = undefined;
  }

  async #settle(dueBefore: number): Promise<void> {
    const { mayRepeat, beforeDeletion, onSettled } = this.#options;
    if (this.#folding.hasDeletion(dueBefore)) await beforeDeletion();
    const settled = this.#folding.settle(dueBefore);
    if (mayRepeat) {
      for (const one of settled) this.#remember(one);
    }
    if (settled.length > 0) onSettled(settled);
  }

  #remember({ path, stamp }: SettledPath): void {
    this.#told.delete(path);
    this.#told.set(path, stamp);
    for (const oldest of this.#told.keys()) {
      if (this.#told.size <= MAX_TOLD) return;
      this.#told.delete(oldest);
    }
  }
}
