// The watched paths of an agent. Selects the files that match its patterns and filters and whose names are not ignored.
import { basename } from "../../../base/plain_path.ts";
import type { Trigger } from "../../agents/agent.ts";
import type { PathBase } from "../../agents/agent_paths.ts";
import { readWatchPaths } from "../../agents/watch_path.ts";
import { compileGlob, type GlobMatcher } from "../../../base/files/glob.ts";
import { isBelow } from "../../../base/files/path_below.ts";
import { type Stamp, type Transition, UNREAD } from "../../folders/folder_snapshot.ts";
import { createIgnoreRule, foldersToSkip } from "../../folders/ignored_names.ts";
import type { PlaceListener, WatchedPlace } from "../../folders/watched_place.ts";
import type { WatchedPlaces } from "../../folders/watched_places.ts";
import { STAGED_NAME } from "../../../base/files/staged_files.ts";

/** The watched files and folders of one agent. A file may be in several of them. */
export class WatchedPaths implements AsyncDisposable {
  readonly #places: WatchedPlaces;
  readonly #paths: { place: WatchedPlace; isWanted: WatchFilter }[] = [];

  private constructor(places: WatchedPlaces) {
    this.#places = places;
  }

  /** Starts watching all paths of a watch trigger. Throws if a path cannot be opened. */
  static async open(
    { paths, filters }: Pick<Trigger<"watch">, "paths" | "filters">,
    { places, settings }: { places: WatchedPlaces; settings: PathBase },
  ): Promise<WatchedPaths> {
    const watched = new WatchedPaths(places);
    try {
      const wanted = paths.flatMap((written) => readWatchPaths(written, settings));
      for (const { base: path, glob, recursive } of wanted) {
        const patterns = [...filters.include, ...glob === undefined ? [] : [glob]];
        const ignored = foldersToSkip(patterns);
        const place = await places.join({ path, recursive, ignored });
        watched.#paths.push({ place, isWanted: createWatchFilter(glob, filters) });
      }
    } catch (error) {
      await watched[Symbol.asyncDispose]();
      throw error;
    }
    return watched;
  }

  get places(): WatchedPlace[] {
    return this.#paths.map(({ place }) => place);
  }

  leave(listener: PlaceListener): void {
    for (const place of this.places) place.leave(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.places.map((place) => this.#places.leave(place)));
  }

  /** Checks if every watched file and folder still exists. */
  async check(): Promise<void> {
    await Promise.all(this.places.map((place) => place.check()));
  }

  /**
   * Returns the path and stamp of every file that the agent watches. The stamp is UNREAD if the file could never be read.
   */
  files(): [path: string, stamp: Stamp][] {
    return this.places.flatMap((place) => [...place.files()])
      .filter(([path, stamp]) => stamp === UNREAD || this.#ownerOf(path) !== undefined);
  }

  /**
   * Returns true if the agent watches a path, or may watch it. As long as one watched path has never existed, it is unknown
   * if it will be a file or a folder, and all paths count.
   */
  concerns(path: string): boolean {
    return this.places.some(({ folder }) => folder === undefined) ||
      this.#ownerOf(path) !== undefined;
  }

  /**
   * Returns true if the watched file or folder that contains a path does not exist at present. Changes of the path then
   * wait.
   */
  isGone(path: string): boolean {
    return this.#ownerOf(path)?.isThere === false;
  }

  /**
   * Returns true if `place` reports the change. Of several watched places with the same file, exactly one reports its
   * changes.
   */
  counts(place: WatchedPlace, { path, before, now }: Transition): boolean {
    if (now === UNREAD) return true;
    if (before !== UNREAD || now !== null) return this.#ownerOf(path) === place;
    // From here on, a file that could not be read before has become readable or was removed. The change counts unless a
    // watched place that covers the file still cannot read it.
    const isUnread = this.places.some((one) => covers(one, path) && one.isUnread(path));
    return covers(place, path) && !isUnread;
  }

  /**
   * Returns the place that reports changes of a file, or undefined if the agent does not watch it. Prefers a place that
   * exists.
   */
  #ownerOf(path: string): WatchedPlace | undefined {
    const owners = this.#paths.filter(({ place: { file, folder }, isWanted }) => {
      if (file !== undefined) return path === file && isWanted(basename(path), "file");
      if (folder === undefined || !isBelow(path, folder)) return false;
      return isWanted(path.slice(folder.length).replace(/^\//, ""), "folder");
    });
    return (owners.find(({ place }) => place.isThere) ?? owners[0])?.place;
  }
}

/** Returns true if a path is the watched file or folder, or is below it. */
function covers(place: WatchedPlace, path: string): boolean {
  return path === place.path || isBelow(path, place.file ?? place.folder ?? place.path);
}

/**
 * A function that reports if the agent watches a path. The path is relative to the watched folder; of a watched file it is
 * the name. Ignored names apply to files in folders only.
 */
export type WatchFilter = (relative: string, is: "file" | "folder") => boolean;

/**
 * Creates the filter of one watched path. A pattern matches the base name or the whole relative path; with a slash at its
 * end it matches everything in the folder. A wildcard in `filters` also matches a dot at the beginning of a name. A
 * wildcard in `glob` does not, as in a shell. Throws a TypeError for an invalid pattern.
 */
export function createWatchFilter(
  glob: string | undefined,
  filters: { include: readonly string[]; exclude: readonly string[] },
): WatchFilter {
  const either = (match: GlobMatcher): GlobMatcher => (path) =>
    match(path) || match(basename(path));
  const inPlace = glob === undefined ? () => true : compile(glob, { dot: false });
  const includes = filters.include.map((pattern) => ({
    pattern,
    matches: either(compile(pattern, { dot: true })),
  }));
  const excludes = filters.exclude.map((pattern) => either(compile(pattern, { dot: true })));
  const own = glob === undefined ? [] : [{ pattern: glob, matches: inPlace }];
  const isIgnored = createIgnoreRule([...includes, ...own]);
  return (path, is) => {
    // Some systems store an accent as a separate character. NFC makes both forms equal.
    const relative = path.normalize("NFC");
    const name = basename(relative);
    if (STAGED_NAME.test(name) || !inPlace(relative)) return false;
    if (includes.length > 0 && !includes.some(({ matches }) => matches(relative))) return false;
    if (excludes.some((matches) => matches(relative))) return false;
    return is === "file" || !isIgnored(relative);
  };
}

function compile(pattern: string, options: { dot: boolean }): GlobMatcher {
  // A pattern with a slash at its end matches everything in the folder.
  const matcher = compileGlob(pattern.normalize("NFC").replace(/\/$/, "/**"), options);
  if (typeof matcher !== "function") throw new TypeError(`A pattern that ${matcher.reason}`);
  return matcher;
}
