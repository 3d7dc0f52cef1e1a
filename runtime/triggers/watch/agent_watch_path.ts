// One of the places that an agent watches, with the filters that say which of its files matter.
import { basename } from "node:path";
import type { WatchTrigger } from "../../agents/agent.ts";
import { namesIgnoredFolder, type WatchPath } from "../../agents/watch_path.ts";
import { isBelow } from "../../../base/files/path_below.ts";
import type { Stamp } from "../../folders/folder_snapshot.ts";
import type { PlaceListener, WatchedPlace } from "../../folders/watched_place.ts";
import type { PlaceLease, WatchedPlaces } from "../../folders/watched_places.ts";
import { createWatchFilter, type WatchFilter } from "./watch_filter.ts";

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
    { base, glob, recursive }: WatchPath,
    { places, filters }: { places: WatchedPlaces; filters: WatchTrigger["filters"] },
  ): Promise<AgentWatchPath> {
    const patterns = [...filters.include, ...glob === undefined ? [] : [glob]];
    const everything = namesIgnoredFolder(patterns);
    const lease = await places.join({ path: base, recursive, everything });
    return new AgentWatchPath(lease, createWatchFilter(glob, filters));
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

  /** Whether a path is at or below it. */
  covers(path: string): boolean {
    return isBelow(path, this.place.folder ?? this.place.path);
  }

  /** Whether a file is the agent's business. */
  owns(path: string): boolean {
    const { file, folder } = this.place;
    if (file !== undefined) return path === file && this.#filter(basename(path), "file");
    if (folder === undefined || !isBelow(path, folder)) return false;
    return this.#filter(path.slice(folder.length).replace(/^\//, ""), "folder");
  }

  /** The files that are the agent's business, as last seen. */
  files(): [path: string, stamp: Stamp][] {
    return [...this.place.files()].filter(([path]) => this.owns(path));
  }
}
