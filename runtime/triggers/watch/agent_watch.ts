// What one agent watches: its paths with their filters, and what of it has changed. A change waits until its path has been
// quiet for a while, or, where all that is watched has vanished with it, until that is back.
import type { Agent, WatchTrigger } from "../../agents/agent.ts";
import type { PathBase } from "../../agents/agent_paths.ts";
import { readWatchPaths } from "../../agents/watch_path.ts";
import { sleepUnlessAborted } from "../../../base/bounded_wait.ts";
import type { Clock } from "../../../base/clock.ts";
import { isBelow } from "../../../base/files/path_below.ts";
import type { ScanResult, Stamp, Transition } from "../../folders/folder_snapshot.ts";
import type { WatchedPlaces } from "../../folders/watched_places.ts";
import { AgentWatchPath } from "./agent_watch_path.ts";
import { ChangeFolding, type SettledPath } from "./change_folding.ts";
import { UNREAD } from "./seen_files.ts";
import { type ChangeOrigin, FROM_OUTSIDE } from "./trigger_breaker.ts";

/** An agent with a watch trigger that may fire. */
export type WatchingAgent = Agent & { trigger: WatchTrigger };

/** What the watch of an agent needs. */
export interface AgentWatchPorts {
  places: WatchedPlaces;
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
  readonly #debounceMs: number;
  readonly #paths: AgentWatchPath[] = [];
  readonly #folding = new ChangeFolding();
  /** How files looked when the agent was last told of them, until all paths have been compared with it. */
  #remembered: ReadonlyMap<string, Stamp> | undefined;
  readonly #over = new AbortController();
  #timing: Promise<void> | undefined;

  private constructor(
    debounceMs: number,
    remembered: ReadonlyMap<string, Stamp> | undefined,
    ports: AgentWatchPorts,
  ) {
    this.#ports = ports;
    this.#debounceMs = debounceMs;
    this.#remembered = remembered;
  }

  /**
   * Takes in all that a trigger watches. `remembered` is how files looked: what looks different now counts as changed.
   * Undefined: all begins with what is there.
   */
  static async open(
    trigger: Pick<WatchTrigger, "paths" | "filters" | "debounceMs">,
    remembered: ReadonlyMap<string, Stamp> | undefined,
    ports: AgentWatchPorts,
  ): Promise<AgentWatch> {
    const { filters, debounceMs } = trigger;
    const watch = new AgentWatch(debounceMs, remembered, ports);
    try {
      for (const path of trigger.paths.flatMap((written) => readWatchPaths(written, ports.base))) {
        watch.#paths.push(await AgentWatchPath.join(path, { places: ports.places, filters }));
      }
    } catch (error) {
      await watch[Symbol.asyncDispose]();
      throw error;
    }
    return watch;
  }

  /** Why one of the paths is not watched: there is too much. */
  get refusal(): string | undefined {
    return this.#paths.map(({ place }) => place.refusal).find((reason) => reason !== undefined);
  }

  /** Begins to report changes. */
  listen(): void {
    if (this.refusal !== undefined) this.#ports.onRefused(this.refusal);
    for (const path of this.#paths) {
      path.listen({
        changed: (found) => this.#changed(path, found),
        refused: (reason) => this.#ports.onRefused(reason),
      });
      if (path.place.isThere) this.#compare(path);
    }
  }

  /** Takes over from the watch that this one replaces, without missing or repeating a change. */
  adopt(former: AgentWatch): void {
    former.#leave();
    for (const path of this.#paths) {
      // What the one before has compared, it has reported.
      path.isCompared ||= former.#remembered === undefined ||
        former.#paths.some((one) => one.isCompared && one.place === path.place);
    }
    this.listen();
    const taken = [...former.#folding.takeAll()].flatMap(([path, before]) => {
      const owner = this.#ownerOf(path);
      return owner === undefined ? [] : [{ path, before, now: owner.place.stampAt(path) }];
    });
    this.#note(taken);
  }

  /** Whether changes of a path are, or may be, this agent's business: what a path that was never there holds, nobody knows. */
  concerns(path: string): boolean {
    return this.#paths.some((one) => one.place.folder === undefined || one.owns(path));
  }

  /** Every file that is this agent's business, as it looks, and what could not be read, as UNREAD. */
  files(): Map<string, Stamp> {
    const unread = this.#paths.flatMap(({ place }) => place.unread);
    return new Map([
      ...this.#paths.flatMap((path) => path.files()),
      ...unread.map((path) => [path, UNREAD] as const),
    ]);
  }

  /** Settles everything at once: there will be no later. Looks at these paths first, of which no event may have come yet. */
  async flush(written: readonly string[]): Promise<void> {
    await this.#check();
    await Promise.all(this.#paths.map(({ place }) => place.scan(written)));
    await this.#settle(Infinity);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#leave();
    this.#over.abort();
    await this.#timing;
    await Promise.all(this.#paths.map((path) => path.release()));
  }

  #leave(): void {
    for (const path of this.#paths) path.leave();
  }

  /** Looks whether what is watched is still there. */
  async #check(): Promise<void> {
    await Promise.all(this.#paths.map(({ place }) => place.check()));
  }

  /** The one that reports changes of a path: several may lead to it. */
  #ownerOf(path: string): AgentWatchPath | undefined {
    return this.#paths.find((one) => one.place.isThere && one.owns(path)) ??
      this.#paths.find((one) => one.owns(path));
  }

  /** Its changes wait until what is watched there is back. */
  readonly #isHeld = (path: string): boolean => this.#ownerOf(path)?.place.isThere !== true;

  #changed(
    watched: AgentWatchPath,
    { changes, old, read, lost }: ScanResult,
  ): void {
    if (this.#remembered !== undefined && !watched.isCompared) return this.#compare(watched);
    const isMine = ({ path }: Transition) => this.#ownerOf(path) === watched;
    this.#tellOld([
      ...read.map((path) => ({ path, before: null, now: null })),
      ...old.filter(isMine),
      ...lost.filter(({ isHidden }) => isHidden)
        .map(({ path }) => ({ path, before: null, now: UNREAD })),
    ]);
    this.#note(changes.filter(isMine));
  }

  /** Finds what has changed while nobody looked. */
  #compare(watched: AgentWatchPath): void {
    if (this.#remembered === undefined || watched.isCompared) return;
    watched.isCompared = true;
    const remembered = this.#remembered;
    const { place } = watched;
    const isMine = (path: string) => this.#ownerOf(path) === watched;
    const couldNotBeRead = new Set(
      [...remembered].flatMap(([path, stamp]) => stamp === UNREAD ? [path] : []),
    );
    // A path that could not be reached at all, of which now is known where it leads.
    if (couldNotBeRead.has(place.path) && place.folder !== undefined) {
      couldNotBeRead.add(place.file ?? place.folder);
    }
    const wasUnread = (path: string) => [...couldNotBeRead].some((one) => isBelow(path, one));
    const files = new Map(watched.files().filter(([path]) => isMine(path)));
    const found = [...files].map(([path, now]) => {
      const stamp = remembered.get(path) ?? null;
      return { path, before: stamp === UNREAD ? null : stamp, now };
    });
    const isOld = ({ path, before }: Transition) => before === null && wasUnread(path);
    const gone = [...remembered].filter(([path, stamp]) =>
      stamp !== UNREAD && !files.has(path) && isMine(path) && !place.isUnread(path)
    );
    const isStillUnread = (path: string) =>
      this.#paths.some((one) =>
        (path === one.place.path || one.covers(path)) && one.place.isUnread(path)
      );
    const read = [...couldNotBeRead].filter((path) =>
      remembered.get(path) === UNREAD && (path === place.path || watched.covers(path)) &&
      !isStillUnread(path)
    );
    this.#tellOld([
      ...read.map((path) => ({ path, before: null, now: null })),
      ...found.filter(isOld),
      ...place.unread.map((path) => ({ path, before: null, now: UNREAD })),
    ]);
    this.#note([
      ...found.filter((one) => one.before !== one.now && !isOld(one)),
      ...gone.map(([path, before]) => ({ path, before, now: null })),
    ]);
    if (this.#paths.every(({ isCompared }) => isCompared)) this.#remembered = undefined;
  }

  /** These changes happen now. */
  #note(changes: readonly Transition[]): void {
    const { clock, noticed } = this.#ports;
    for (const change of changes) {
      this.#folding.note(change, { at: clock.now(), origin: noticed(change.path) });
    }
    if (this.#folding.size > 0) this.#timing ??= this.#settleInTime();
  }

  async #settleInTime(): Promise<void> {
    const { clock } = this.#ports;
    const debounceMs = this.#debounceMs;
    // Not before this is known as the one that does it.
    await Promise.resolve();
    for (let oldest; (oldest = this.#folding.oldest(this.#isHeld)) !== undefined;) {
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
    // All may have vanished with it.
    if (this.#folding.hasDeletion(dueBefore)) await this.#check();
    const settled = this.#folding.settle(dueBefore, this.#isHeld);
    if (settled.length > 0) this.#ports.onSettled(settled);
  }

  /** Nothing happened to these: they are only to be remembered as they look. */
  #tellOld(files: readonly Transition[]): void {
    if (files.length === 0) return;
    this.#ports.onSettled(files.map(({ path, now }) => (
      { path, event: undefined, stamp: now, origin: FROM_OUTSIDE }
    )));
  }
}
