// What one agent watches: its paths with their filters, and how what is seen there compares with what the agent knows. What
// differs is left to UnsettledChanges.
import type { WatchTrigger } from "../agents/agent.ts";
import type { PathBase } from "../agents/agent_paths.ts";
import { readWatchPaths, type WatchPath } from "../agents/watch_path.ts";
import type { Clock } from "../clock.ts";
import { Baseline, type Compared, toOld } from "./baseline.ts";
import type { SettledPath, Stamp, Transition } from "./change_folding.ts";
import type { ChangeOrigin } from "./change_origin.ts";
import { type FirstRead, isIn } from "./scan_result.ts";
import { type RememberedFiles, UNREAD } from "./seen_files.ts";
import { UnsettledChanges } from "./unsettled_changes.ts";
import type { WatchHub } from "./watch_hub.ts";
import { AgentWatchPath } from "./agent_watch_path.ts";

/** What the watch of an agent needs. */
export interface AgentWatchPorts {
  hub: WatchHub;
  clock: Clock;
  base: PathBase;
  /** What a change of a path that is noticed now may come from. */
  noticed: (path: string) => ChangeOrigin;
  /** Called with paths that are quiet. */
  onSettled: (paths: SettledPath[]) => void;
  /** Called where there is too much at a path: nothing is watched there. */
  onRefused: (reason: string) => void;
}

/** A watch trigger at work. Reports nothing before `listen` or `adopt`. */
export class AgentWatch implements AsyncDisposable {
  readonly #ports: AgentWatchPorts;
  readonly #baseline: Baseline;
  readonly #leaves: AgentWatchPath[] = [];
  readonly #unsettled: UnsettledChanges;

  private constructor(
    { paths, debounceMs }: { paths: readonly WatchPath[]; debounceMs: number },
    remembered: RememberedFiles | undefined,
    ports: AgentWatchPorts,
  ) {
    this.#ports = ports;
    this.#baseline = new Baseline(remembered);
    this.#unsettled = new UnsettledChanges({
      debounceMs,
      mayRepeat: paths.length > 1,
      clock: ports.clock,
      noticed: ports.noticed,
      beforeDeletion: () => this.#check(),
      onSettled: (settled) => this.#tell(settled),
    });
  }

  /** Takes in all that a trigger watches. What looks different from what is remembered counts as changed. */
  static async open(
    trigger: Pick<WatchTrigger, "paths" | "filters" | "debounceMs">,
    remembered: RememberedFiles | undefined,
    ports: AgentWatchPorts,
  ): Promise<AgentWatch> {
    const { hub, base } = ports;
    const { filters, debounceMs } = trigger;
    const paths = trigger.paths.flatMap((written) => readWatchPaths(written, base));
    const watch = new AgentWatch({ paths, debounceMs }, remembered, ports);
    try {
      for (const path of paths) {
        const leaf = await AgentWatchPath.join(path, { hub, filters });
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

  /** Why one of the paths is not watched: there is too much. */
  get refusal(): string | undefined {
    return this.#leaves.map(({ place }) => place.refusal).find((reason) => reason !== undefined);
  }

  /** Begins to report changes. */
  listen(): void {
    if (this.refusal !== undefined) this.#ports.onRefused(this.refusal);
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
        refused: (reason) => this.#ports.onRefused(reason),
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
    // With the same files to compare, what the one before has reported is not news to this one either.
    for (const [i, leaf] of this.#leaves.entries()) {
      leaf.isCompared ||= former.#leaves[i]?.isCompared === true;
    }
    this.listen();
    for (const [path, before] of former.#unsettled.takeAll()) {
      const leaf = this.#leaves.find((one) => one.owns(path));
      if (leaf === undefined) continue;
      const { place } = leaf;
      if (place.isThere) this.#changed(leaf, [{ path, before, now: place.seen.stampAt(path) }]);
      else this.#unsettled.addAside(path, before);
    }
  }

  /** Whether changes of a path are, or may be, this agent's business: what a path that was never there holds, nobody knows. */
  concerns(path: string): boolean {
    return this.#leaves.some((leaf) => leaf.place.seen.folder === undefined || leaf.owns(path));
  }

  /** Every file that is this agent's business, as it looks, and what could not be read, as UNREAD. */
  files(): Map<string, Stamp> {
    const files = this.#leaves.flatMap((leaf) => leaf.files())
      .filter(([path]) => !this.#baseline.isUnread(path));
    return new Map([...files, ...this.#baseline.unread.map((path) => [path, UNREAD] as const)]);
  }

  /** Settles everything at once: there will be no later. Looks at these paths first, of which no event may have come yet. */
  async flush(written: readonly string[]): Promise<void> {
    await this.#check();
    await Promise.all(this.#leaves.map(({ place }) => place.scan(written)));
    await this.#unsettled.settleAll();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#leave();
    await this.#unsettled[Symbol.asyncDispose]();
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

  /** Looks whether what is watched is still there: what has vanished is put aside then. */
  async #check(): Promise<void> {
    await Promise.all(this.#leaves.map(({ place }) => place.check()));
  }

  #changed(leaf: AgentWatchPath, changes: readonly Transition[]): void {
    const mine = changes.filter(({ path }) => leaf.owns(path));
    this.#unsettled.note(mine.map(({ path, before, now }) => {
      // Seen before all of its folder could be read.
      return { path, before: before ?? this.#baseline.stampOf(path), now };
    }));
  }

  #appeared(leaf: AgentWatchPath, changes: readonly Transition[]): void {
    if (!leaf.isCompared) return this.#compare(leaf);
    const { place } = leaf;
    if (this.#meetsUnread(leaf)) {
      const places = new Set([place.path, leaf.real ?? place.path]);
      return this.#readAtLast(leaf, { places, hidden: places, changes });
    }
    const returned = this.#unsettled.takeBack((path) => leaf.owns(path));
    this.#changed(leaf, [
      ...changes.filter(({ path }) => !returned.has(path)),
      ...[...returned].map(([path, before]) => ({ path, before, now: place.seen.stampAt(path) })),
    ]);
  }

  #vanished(leaf: AgentWatchPath): void {
    this.#unsettled.putAside((path) => leaf.owns(path));
  }

  #readAtLast(leaf: AgentWatchPath, { places, hidden, changes }: FirstRead): void {
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
  #compare(leaf: AgentWatchPath): void {
    if (leaf.isCompared) return;
    leaf.isCompared = true;
    if (!this.#baseline.isRemembered) return;
    this.#meetsUnread(leaf);
    const isRead = (path: string) => leaf.covers(path) && !leaf.place.seen.hides(path);
    const places = new Set(this.#baseline.unread.filter(isRead));
    this.#takeIn(leaf, places, this.#compareFiles(leaf, () => true));
  }

  /** Whether what is watched could never be reached. Then all that is at its real path now counts as having been there. */
  #meetsUnread({ place, real }: AgentWatchPath): boolean {
    if (real === undefined || !this.#baseline.unread.includes(place.path)) return false;
    this.#baseline.addUnread([real]);
    return true;
  }

  #compareFiles(leaf: AgentWatchPath, isMeant: (path: string) => boolean): Compared {
    const files = new Map(leaf.files().filter(([path]) => isMeant(path)));
    const isGone = (path: string) =>
      isMeant(path) && leaf.owns(path) && !leaf.place.seen.hides(path);
    return this.#baseline.compare(files, isGone);
  }

  /** Goes on from what has been read of these places, with how it compares to what was known of them. */
  #takeIn(leaf: AgentWatchPath, places: ReadonlySet<string>, { changes, old }: Compared): void {
    this.#tell([...this.#baseline.read(places, this.#unread()), ...old]);
    this.#changed(leaf, changes);
    const isAll = this.#leaves.every(({ isCompared }) => isCompared);
    if (isAll && this.#hidden().length === 0) this.#baseline.forgetFiles();
  }

  #tell(paths: SettledPath[]): void {
    this.#baseline.told(paths);
    if (paths.length > 0) this.#ports.onSettled(paths);
  }
}
