// What one agent watches: its paths with their filters, and the changes that are not quiet yet.
import type { WatchTrigger } from "../agents/agent.ts";
import type { PathBase } from "../agents/agent_paths.ts";
import type { Clock } from "../clock.ts";
import { Baseline, type Compared, toOld } from "./baseline.ts";
import { ChangeFolding, type SettledPath, type Stamp, type Transition } from "./change_folding.ts";
import { type FirstRead, isIn } from "./look.ts";
import { type RememberedFiles, UNREAD } from "./seen_files.ts";
import type { WatchHub } from "./watch_hub.ts";
import { WatchLeaf } from "./watch_leaf.ts";

const MAX_TOLD = 10_000;

/** What the watch of an agent needs. */
export interface AgentWatchPorts {
  hub: WatchHub;
  clock: Clock;
  base: PathBase;
  /** See TriggerBreaker. */
  currentChain: () => number;
  /** Called with paths that are quiet. */
  onSettled: (paths: SettledPath[]) => void;
}

/** A watch trigger at work. Tells nothing before `listen` or `adopt`. */
export class AgentWatch implements AsyncDisposable {
  readonly #debounceMs: number;
  readonly #ports: AgentWatchPorts;
  readonly #baseline: Baseline;
  readonly #leaves: WatchLeaf[] = [];
  readonly #folding = new ChangeFolding();
  /** How files looked before changes that must not settle: the folder of theirs has vanished. */
  readonly #held = new Map<string, Stamp | null>();
  /** How files looked when they settled: two overlapping places must not tell of one change twice. */
  readonly #told = new Map<string, Stamp | null>();
  readonly #over = new AbortController();
  #timing: Promise<void> | undefined;

  private constructor(
    debounceMs: number,
    remembered: RememberedFiles | undefined,
    ports: AgentWatchPorts,
  ) {
    this.#debounceMs = debounceMs;
    this.#baseline = new Baseline(remembered);
    this.#ports = ports;
  }

  /** Takes in all that a trigger watches. What looks different from what is remembered counts as changed. */
  static async open(
    trigger: Pick<WatchTrigger, "paths" | "filters" | "debounceMs">,
    remembered: RememberedFiles | undefined,
    ports: AgentWatchPorts,
  ): Promise<AgentWatch> {
    const watch = new AgentWatch(trigger.debounceMs, remembered, ports);
    try {
      const { filters } = trigger;
      for (const text of trigger.paths) {
        const leaf = await WatchLeaf.join(text, { ...ports, filters });
        leaf.isCompared = remembered === undefined;
        watch.#leaves.push(leaf);
      }
    } catch (error) {
      await watch[Symbol.asyncDispose]();
      throw error;
    }
    if (remembered === undefined) watch.#baseline.addUnread(watch.#unread());
    return watch;
  }

  /** Begins to tell of changes. */
  listen(): void {
    // Read since, before anybody listened; what is remembered is compared below.
    const unread = new Set(this.#unread());
    if (!this.#baseline.isRemembered) {
      const read = new Set(this.#baseline.keepUnread((path) => unread.has(path)));
      const files = this.#leaves.flatMap((leaf) => leaf.files()).filter(([path]) =>
        isIn(path, read)
      );
      this.#tell([
        ...[...read].map((path) => toOld(path, null)),
        ...files.map(([path, stamp]) => toOld(path, stamp)),
      ]);
    }
    for (const leaf of this.#leaves) {
      leaf.listen({
        changed: (changes) => this.#changed(leaf, changes),
        appeared: (changes) => this.#appeared(leaf, changes),
        vanished: () => this.#vanished(leaf),
        readAtLast: (firstRead) => this.#readAtLast(leaf, firstRead),
      });
      if (leaf.place.isThere) this.#compare(leaf);
    }
  }

  /** Takes over from the watch that this one replaces, without missing or repeating a change. */
  adopt(former: AgentWatch): void {
    former.#leave();
    if (!former.#baseline.isRemembered) this.#baseline.forgetFiles();
    // What came while it could not be read is news to both.
    const news = this.#baseline.keepUnread((path) =>
      former.#baseline.knows(path) || !former.#leaves.some((leaf) => leaf.covers(path))
    );
    this.#tell(news.map((path) => toOld(path, null)));
    // With the same files to compare, what the one before has told of is not news to this one either.
    for (const [i, leaf] of this.#leaves.entries()) {
      leaf.isCompared ||= former.#leaves[i]?.isCompared === true;
    }
    this.listen();
    const unsettled = [...former.#held, ...former.#folding.take(() => true)];
    for (const [path, before] of unsettled) {
      const leaf = this.#leaves.find((one) => one.owns(path));
      if (leaf === undefined) continue;
      const { place } = leaf;
      if (place.isThere) this.#changed(leaf, [{ path, before, now: place.stampAt(path) }]);
      else this.#held.set(path, before);
    }
  }

  /** Whether changes of a path are, or may be, this agent's business: what a path that was never there holds, nobody knows. */
  concerns(path: string): boolean {
    return this.#leaves.some((leaf) => leaf.place.folder === undefined || leaf.owns(path));
  }

  /** Every file that is this agent's business, as it looks, and what could not be read, as UNREAD. */
  files(): Map<string, Stamp> {
    const files = this.#leaves.flatMap((leaf) => leaf.files())
      .filter(([path]) => !this.#baseline.isUnread(path));
    return new Map([...files, ...this.#baseline.unread.map((path) => [path, UNREAD] as const)]);
  }

  /** Settles everything at once: there will be no later. */
  async flush(): Promise<void> {
    await Promise.all(this.#leaves.map(({ place }) => place.check()));
    await this.#settle(Infinity);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#leave();
    this.#over.abort();
    await this.#timing;
    await Promise.all(this.#leaves.map((leaf) => leaf.release()));
  }

  /** What cannot be read in all that is watched, and never could. */
  #hidden(): string[] {
    return this.#leaves.flatMap(({ hidden }) => hidden);
  }

  /** What cannot be read now. */
  #unread(): string[] {
    return this.#leaves.flatMap(({ unread }) => unread);
  }

  #leave(): void {
    for (const leaf of this.#leaves) leaf.leave();
  }

  #changed(leaf: WatchLeaf, changes: readonly Transition[]): void {
    const { clock, currentChain } = this.#ports;
    const when = { at: clock.now(), chain: currentChain() };
    for (const { path, before, now } of changes) {
      if (!leaf.owns(path)) continue;
      if (this.#told.get(path) === now && !this.#folding.has(path)) continue;
      // Seen before all of its folder could be read.
      this.#folding.note({ path, before: before ?? this.#baseline.stampOf(path), now }, when);
    }
    if (this.#folding.size > 0) this.#timing ??= this.#settleInTime();
  }

  #appeared(leaf: WatchLeaf, changes: readonly Transition[]): void {
    if (!leaf.isCompared) return this.#compare(leaf);
    const { place } = leaf;
    if (this.#meetsUnread(leaf)) {
      const places = new Set([place.path, leaf.real ?? place.path]);
      return this.#readAtLast(leaf, { places, hidden: places, changes });
    }
    const returned = [...this.#held].filter(([path]) => leaf.owns(path));
    for (const [path] of returned) this.#held.delete(path);
    const wasHeld = new Set(returned.map(([path]) => path));
    this.#changed(leaf, [
      ...changes.filter(({ path }) => !wasHeld.has(path)),
      ...returned.map(([path, before]) => ({ path, before, now: place.stampAt(path) })),
    ]);
  }

  #vanished(leaf: WatchLeaf): void {
    for (const [path, before] of this.#folding.take((path) => leaf.owns(path))) {
      if (!this.#held.has(path)) this.#held.set(path, before);
    }
  }

  #readAtLast(leaf: WatchLeaf, { places, hidden, changes }: FirstRead): void {
    const mine = changes.filter(({ path }) => leaf.owns(path));
    const isCompared = (path: string) => this.#baseline.isRemembered && isIn(path, hidden);
    const sorted = this.#baseline.sort(mine.filter(({ path }) => !isCompared(path)));
    const compared = this.#compareFiles(leaf, isCompared);
    this.#takeIn(leaf, places, {
      changes: [...sorted.changes, ...compared.changes],
      old: [...sorted.old, ...compared.old],
    });
  }

  /** Finds what has changed while nobody looked. */
  #compare(leaf: WatchLeaf): void {
    if (leaf.isCompared) return;
    leaf.isCompared = true;
    if (!this.#baseline.isRemembered) return;
    this.#meetsUnread(leaf);
    const isRead = (path: string) => leaf.covers(path) && !leaf.place.hides(path);
    const places = new Set(this.#baseline.unread.filter(isRead));
    this.#takeIn(leaf, places, this.#compareFiles(leaf, () => true));
  }

  /** Whether what is watched could never be reached. Then all that is at its real path now counts as having been there. */
  #meetsUnread({ place, real }: WatchLeaf): boolean {
    if (real === undefined || !this.#baseline.unread.includes(place.path)) return false;
    this.#baseline.addUnread([real]);
    return true;
  }

  #compareFiles(leaf: WatchLeaf, isMeant: (path: string) => boolean): Compared {
    const files = new Map(leaf.files().filter(([path]) => isMeant(path)));
    const isGone = (path: string) => isMeant(path) && leaf.owns(path) && !leaf.place.hides(path);
    return this.#baseline.compare(files, isGone);
  }

  /** Goes on from what has been read of these places, with how it compares to what was known of them. */
  #takeIn(leaf: WatchLeaf, places: ReadonlySet<string>, { changes, old }: Compared): void {
    this.#tell([...this.#baseline.read(places, this.#unread()), ...old]);
    this.#changed(leaf, changes);
    const isAll = this.#leaves.every(({ isCompared }) => isCompared);
    if (isAll && this.#hidden().length === 0) this.#baseline.forgetFiles();
  }

  async #settleInTime(): Promise<void> {
    const { clock } = this.#ports;
    // Not before this is known as the one that does it.
    await Promise.resolve();
    for (let oldest; (oldest = this.#folding.oldest) !== undefined;) {
      const waitMs = Math.min(oldest + this.#debounceMs - clock.now(), this.#debounceMs);
      await clock.sleep(Math.max(0, waitMs), this.#over.signal).catch(() => {/* It is closed. */});
      if (this.#over.signal.aborted) return;
      const now = clock.now();
      // A clock that was set back must not make changes wait for it to come round again.
      await this.#settle(oldest > now ? oldest : now - this.#debounceMs);
    }
    this.#timing = undefined;
  }

  async #settle(dueBefore: number): Promise<void> {
    if (this.#folding.hasDeletion(dueBefore)) {
      // Files that are gone with their whole folder are not deleted: this may move them to the held ones.
      await Promise.all(this.#leaves.map(({ place }) => place.check()));
    }
    const settled = this.#folding.settle(dueBefore);
    if (this.#leaves.length > 1) { for (const one of settled) this.#remember(one); }
    this.#tell(settled);
  }

  #tell(paths: SettledPath[]): void {
    this.#baseline.told(paths);
    if (paths.length > 0) this.#ports.onSettled(paths);
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
