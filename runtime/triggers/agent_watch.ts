// What one agent watches: its paths with their filters, and the changes that are not quiet yet.
import { basename } from "node:path";
import type { WatchTrigger } from "../agents/agent.ts";
import type { PathBase } from "../agents/agent_paths.ts";
import { readWatchPath } from "../agents/watch_path.ts";
import type { Clock } from "../clock.ts";
import { isBelow } from "../files/path_below.ts";
import { ChangeFolding, type SettledPath, type Stamp, type Transition } from "./change_folding.ts";
import { createWatchFilter, namesIgnoredFolder, type WatchFilter } from "./watch_filter.ts";
import type { FirstRead } from "./look.ts";
import type { PlaceLease, WatchHub } from "./watch_hub.ts";
import type { PlaceListener } from "./watched_place.ts";

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

interface Leaf {
  lease: PlaceLease;
  filter: WatchFilter;
  listener: PlaceListener;
  /** Whether its files have been compared with how they looked when the service stopped. */
  isCompared: boolean;
}

/** A watch trigger at work. Tells nothing before `listen` or `adopt`. */
export class AgentWatch implements AsyncDisposable {
  readonly #debounceMs: number;
  readonly #ports: AgentWatchPorts;
  /** Until all files have been compared with it. */
  #seen: ReadonlyMap<string, Stamp> | undefined;
  readonly #leaves: Leaf[] = [];
  readonly #folding = new ChangeFolding();
  /** How files looked before changes that must not settle: the folder of theirs has vanished. */
  readonly #held = new Map<string, Stamp | null>();
  /** How files looked when they settled: two overlapping places must not tell of one change twice. */
  readonly #told = new Map<string, Stamp | null>();
  readonly #over = new AbortController();
  #timing: Promise<void> | undefined;

  private constructor(
    debounceMs: number,
    seen: ReadonlyMap<string, Stamp> | undefined,
    ports: AgentWatchPorts,
  ) {
    this.#debounceMs = debounceMs;
    this.#seen = seen;
    this.#ports = ports;
  }

  /** Takes in all that a trigger watches. With `seen`, what looks different from that counts as changed. */
  static async open(
    trigger: Pick<WatchTrigger, "paths" | "filters" | "debounceMs">,
    seen: ReadonlyMap<string, Stamp> | undefined,
    ports: AgentWatchPorts,
  ): Promise<AgentWatch> {
    const watch = new AgentWatch(trigger.debounceMs, seen, ports);
    try {
      for (const text of trigger.paths) await watch.#join(text, trigger.filters);
    } catch (error) {
      await watch[Symbol.asyncDispose]();
      throw error;
    }
    return watch;
  }

  /** Begins to tell of changes. */
  listen(): void {
    for (const leaf of this.#leaves) {
      leaf.lease.place.listen(leaf.listener);
      if (leaf.lease.place.isThere) this.#compare(leaf);
    }
  }

  /** Takes over from the watch that this one replaces, without missing or repeating a change. */
  adopt(former: AgentWatch): void {
    former.#leave();
    if (former.#seen === undefined) this.#seen = undefined;
    // With the same files to compare, what the one before has told of is not news to this one either.
    for (const [i, leaf] of this.#leaves.entries()) {
      leaf.isCompared ||= former.#leaves[i]?.isCompared === true;
    }
    this.listen();
    const unsettled = [...former.#held, ...former.#folding.take(() => true)];
    for (const [path, before] of unsettled) {
      const leaf = this.#leaves.find((one) => this.#owns(one, path));
      const now = leaf?.lease.place.stampAt(path) ?? null;
      if (leaf !== undefined) this.#changed(leaf, [{ path, before, now }]);
    }
  }

  /** Whether changes of a path are, or may be, this agent's business: what a path that was never there holds, nobody knows. */
  concerns(path: string): boolean {
    return this.#leaves.some((leaf) =>
      leaf.lease.place.folder === undefined || this.#owns(leaf, path)
    );
  }

  /** Every file that is this agent's business, as it looks. */
  files(): Map<string, Stamp> {
    return new Map(
      this.#leaves.flatMap((leaf) =>
        [...leaf.lease.place.files()].filter(([path]) => this.#owns(leaf, path))
      ),
    );
  }

  /** Settles everything at once: there will be no later. */
  async flush(): Promise<void> {
    await Promise.all(this.#leaves.map(({ lease }) => lease.place.check()));
    await this.#settle(Infinity);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#leave();
    this.#over.abort();
    await this.#timing;
    await Promise.all(this.#leaves.map(({ lease }) => lease.release()));
  }

  async #join(text: string, filters: WatchTrigger["filters"]): Promise<void> {
    const { hub, base } = this.#ports;
    const path = readWatchPath(text, base);
    const patterns = [...filters.include, ...path.glob === undefined ? [] : [path.glob]];
    const filter = createWatchFilter(path.glob, filters);
    const lease = await hub.join(path, { everything: namesIgnoredFolder(patterns) });
    const leaf: Leaf = {
      lease,
      filter,
      isCompared: this.#seen === undefined,
      listener: {
        changed: (changes) => this.#changed(leaf, changes),
        appeared: (changes) => this.#appeared(leaf, changes),
        vanished: () => this.#vanished(leaf),
        readAtLast: (firstRead) => this.#readAtLast(leaf, firstRead),
      },
    };
    this.#leaves.push(leaf);
  }

  #owns({ lease: { place }, filter }: Leaf, path: string): boolean {
    const { file, folder } = place;
    if (file !== undefined) return path === file && filter(basename(path), "file");
    if (folder === undefined || !isBelow(path, folder)) return false;
    return filter(path.slice(folder.length).replace(/^\//, ""), "folder");
  }

  #leave(): void {
    for (const { lease, listener } of this.#leaves) lease.place.leave(listener);
  }

  #changed(leaf: Leaf, changes: readonly Transition[]): void {
    const { clock, currentChain } = this.#ports;
    const when = { at: clock.now(), chain: currentChain() };
    for (const change of changes) {
      if (!this.#owns(leaf, change.path)) continue;
      const { path, now } = change;
      if (this.#told.get(path) === now && !this.#folding.has(path)) continue;
      this.#folding.note(change, when);
    }
    if (this.#folding.size > 0) this.#timing ??= this.#settleInTime();
  }

  #appeared(leaf: Leaf, changes: readonly Transition[]): void {
    if (!leaf.isCompared) return this.#compare(leaf);
    const { place } = leaf.lease;
    const returned = [...this.#held].filter(([path]) => this.#owns(leaf, path));
    for (const [path] of returned) this.#held.delete(path);
    const wasHeld = new Set(returned.map(([path]) => path));
    this.#changed(leaf, [
      ...changes.filter(({ path }) => !wasHeld.has(path)),
      ...returned.map(([path, before]) => ({ path, before, now: place.stampAt(path) })),
    ]);
  }

  #vanished(leaf: Leaf): void {
    for (const [path, before] of this.#folding.take((path) => this.#owns(leaf, path))) {
      if (!this.#held.has(path)) this.#held.set(path, before);
    }
  }

  #readAtLast(leaf: Leaf, { covers, known, fresh }: FirstRead): void {
    if (this.#seen !== undefined) return this.#compareFiles(leaf, covers);
    this.#changed(leaf, fresh);
    const taken = known.filter(({ path }) => this.#owns(leaf, path));
    if (taken.length === 0) return;
    this.#ports.onSettled(
      taken.map(({ path, now }) => ({ path, event: undefined, stamp: now, chain: 0 })),
    );
  }

  /** Finds what has changed while nobody looked. */
  #compare(leaf: Leaf): void {
    if (leaf.isCompared) return;
    leaf.isCompared = true;
    this.#compareFiles(leaf, () => true);
  }

  #compareFiles(leaf: Leaf, isMeant: (path: string) => boolean): void {
    const seen = this.#seen;
    if (seen === undefined) return;
    const { place } = leaf.lease;
    const files = new Map([...place.files()].filter(([path]) => isMeant(path)));
    const gone = [...seen].filter(([path]) =>
      isMeant(path) && this.#owns(leaf, path) && !files.has(path) && !place.hides(path)
    );
    const changes = [
      ...[...files].map(([path, now]) => ({ path, before: seen.get(path) ?? null, now })),
      ...gone.map(([path, before]) => ({ path, before, now: null })),
    ];
    this.#changed(leaf, changes.filter(({ before, now }) => before !== now));
    const isDone = this.#leaves.every((one) => one.isCompared && !one.lease.place.isHiding);
    if (isDone) this.#seen = undefined;
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
      await Promise.all(this.#leaves.map(({ lease }) => lease.place.check()));
    }
    const settled = this.#folding.settle(dueBefore);
    if (this.#leaves.length > 1) { for (const one of settled) this.#remember(one); }
    if (settled.length > 0) this.#ports.onSettled(settled);
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
