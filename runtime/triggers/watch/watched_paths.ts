// What an agent watches: its places, and which of the files there concern it: by its patterns, its filters, and without what
// nobody wants to hear of.
import { basename } from "node:path";
import type { WatchTrigger } from "../../agents/agent.ts";
import type { PathBase } from "../../agents/agent_paths.ts";
import { readWatchPaths } from "../../agents/watch_path.ts";
import { compileGlob, type GlobMatcher } from "../../../base/files/glob.ts";
import { isBelow } from "../../../base/files/path_below.ts";
import { type Stamp, type Transition, UNREAD } from "../../folders/folder_snapshot.ts";
import { createIgnoreRule, foldersToSkip } from "../../folders/ignored_names.ts";
import type { PlaceListener, WatchedPlace } from "../../folders/watched_place.ts";
import type { WatchedPlaces } from "../../folders/watched_places.ts";
import { STAGED_NAME } from "../../../base/files/staged_files.ts";

/** The places of one agent. Several may lead to one file. */
export class WatchedPaths implements AsyncDisposable {
  readonly #places: WatchedPlaces;
  readonly #paths: { place: WatchedPlace; isWanted: WatchFilter }[] = [];

  private constructor(places: WatchedPlaces) {
    this.#places = places;
  }

  /** Takes in all that a trigger watches. */
  static async open(
    { paths, filters }: Pick<WatchTrigger, "paths" | "filters">,
    { places, base }: { places: WatchedPlaces; base: PathBase },
  ): Promise<WatchedPaths> {
    const watched = new WatchedPaths(places);
    try {
      const wanted = paths.flatMap((written) => readWatchPaths(written, base));
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

  /** Finds out whether everything is still there. */
  async check(): Promise<void> {
    await Promise.all(this.places.map((place) => place.check()));
  }

  /** Every file that is the agent's business, with its stamp; UNREAD for what never could be read. */
  files(): [path: string, stamp: Stamp][] {
    return this.places.flatMap((place) => [...place.files()])
      .filter(([path, stamp]) => stamp === UNREAD || this.#ownerOf(path) !== undefined);
  }

  /** Whether changes of a path are, or may be, the agent's business: what a path that was never there holds, nobody knows. */
  concerns(path: string): boolean {
    return this.places.some(({ folder }) => folder === undefined) ||
      this.#ownerOf(path) !== undefined;
  }

  /** Whether what is watched at a path is gone: its changes wait until that is back. */
  isGone(path: string): boolean {
    return this.#ownerOf(path)?.isThere === false;
  }

  /** Whether a change that a place tells of counts: where several places lead to a file, one of them tells of it. */
  counts(place: WatchedPlace, { path, before, now }: Transition): boolean {
    if (now === UNREAD) return true;
    if (before !== UNREAD || now !== null) return this.#ownerOf(path) === place;
    // It can be read, or is gone; unless another place still cannot tell.
    const isUnread = this.places.some((one) => covers(one, path) && one.isUnread(path));
    return covers(place, path) && !isUnread;
  }

  /** The place that reports changes of a file; undefined where it is not the agent's business. */
  #ownerOf(path: string): WatchedPlace | undefined {
    const owners = this.#paths.filter(({ place: { file, folder }, isWanted }) => {
      if (file !== undefined) return path === file && isWanted(basename(path), "file");
      if (folder === undefined || !isBelow(path, folder)) return false;
      return isWanted(path.slice(folder.length).replace(/^\//, ""), "folder");
    });
    return (owners.find(({ place }) => place.isThere) ?? owners[0])?.place;
  }
}

/** Whether a path is at or below a place. */
function covers(place: WatchedPlace, path: string): boolean {
  return path === place.path || isBelow(path, place.file ?? place.folder ?? place.path);
}

/**
 * Whether a path concerns an agent: relative to the watched folder, or, where the watched path `is` a file, its name. An
 * agent that names a file gets its changes whatever it is called.
 */
export type WatchFilter = (relative: string, is: "file" | "folder") => boolean;

/**
 * The filter of one watched path. Patterns match the base name or the whole relative path; one that ends with a slash
 * means all that is in such a folder. For filters a leading dot is a character like any other; a path's pattern, as in a
 * shell, has to name it. Throws TypeError for a pattern that the agent file's check would refuse.
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
    // Some systems store an accent as a character of its own: the name reads the same, and is meant.
    const relative = path.normalize("NFC");
    const name = basename(relative);
    if (STAGED_NAME.test(name) || !inPlace(relative)) return false;
    if (includes.length > 0 && !includes.some(({ matches }) => matches(relative))) return false;
    if (excludes.some((matches) => matches(relative))) return false;
    return is === "file" || !isIgnored(relative);
  };
}

function compile(pattern: string, options: { dot: boolean }): GlobMatcher {
  // One that ends with a slash means all that is in such a folder.
  const matcher = compileGlob(pattern.normalize("NFC").replace(/\/$/, "/**"), options);
  if (typeof matcher !== "function") throw new TypeError(`A pattern that ${matcher.reason}`);
  return matcher;
}
