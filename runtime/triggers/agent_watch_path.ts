// One of the places that an agent watches, with the filters that say which of its files matter.
import { basename } from "node:path";
import type { WatchTrigger } from "../agents/agent.ts";
import { namesIgnoredFolder, type WatchPath } from "../agents/watch_path.ts";
import { isBelow } from "../files/path_below.ts";
import type { Stamp } from "./change_folding.ts";
import { createWatchFilter, type WatchFilter } from "./watch_filter.ts";
import type { PlaceLease, WatchHub } from "./watch_hub.ts";
import type { PlaceListener, WatchedPlace } from "./watched_place.ts";

/** A place as an agent watches it. */
export class AgentWatchPath {
  readonly place: WatchedPlace;
  /** Whether its files have been compared with what is remembered of them. */
  isCompared = false;
  readonly #filter: WatchFilter;
  readonly #lease: PlaceLease;
  #listener: PlaceListener | undefined;

  private constructor(lease: PlaceLease, filter: WatchFilter) {
    this.place = lease.place;
    this.#lease = lease;
    this.#filter = filter;
  }

  /** Resolves when what is there is known. */
  static async join(
    path: WatchPath,
    { hub, filters }: { hub: WatchHub; filters: WatchTrigger["filters"] },
  ): Promise<AgentWatchPath> {
    const patterns = [...filters.include, ...path.glob === undefined ? [] : [path.glob]];
    const lease = await hub.join(path, { everything: namesIgnoredFolder(patterns) });
    return new AgentWatchPath(lease, createWatchFilter(path.glob, filters));
  }

  listen(listener: PlaceListener): void {
    this.#listener = listener;
    this.place.listen(listener);
  }

  leave(): void {
    if (this.#listener !== undefined) this.place.leave(this.#listener);
  }

  /** Leaves, and gives its share of the place back. */
  async release(): Promise<void> {
    this.leave();
    await this.#lease.release();
  }

  /** Whether a file is the agent's business. */
  owns(path: string): boolean {
    const { file, folder } = this.place.seen;
    if (file !== undefined) return path === file && this.#filter(basename(path), "file");
    if (folder === undefined || !isBelow(path, folder)) return false;
    return this.#filter(path.slice(folder.length).replace(/^\//, ""), "folder");
  }

  /** The files that are the agent's business, as last seen. */
  files(): [path: string, stamp: Stamp][] {
    return [...this.place.seen.files()].filter(([path]) => this.owns(path));
  }

  /** What could never be read of it: files and folders, or the path itself. */
  get hidden(): readonly string[] {
    return this.place.isUnreachable ? [this.place.path] : this.place.seen.hidden;
  }

  /** What cannot be read of it now. */
  get unread(): readonly string[] {
    return this.place.isUnreachable ? [this.place.path] : this.place.seen.unread;
  }

  /** The path itself, real; undefined where nothing was ever there. */
  get real(): string | undefined {
    return this.place.seen.file ?? this.place.seen.folder;
  }

  /** Whether a path is at or below it. */
  covers(path: string): boolean {
    return path === this.place.path || isBelow(path, this.place.seen.folder ?? this.place.path);
  }
}
