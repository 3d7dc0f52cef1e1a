// A folder that is watched, and who is notified of what happens in it.
import { isBelow } from "../../base/files/path_below.ts";
import type { WatchedFolder } from "./folder_cover.ts";
import type { FolderEventSource } from "./system_watches.ts";

/** Who is notified about a folder. */
export interface FolderListener {
  /** Something may have happened at these paths: of the folder itself, or below it. */
  changed(paths: readonly string[]): void;
  /** Anything may have happened. Resolves when it has been looked for. */
  uncertain(): Promise<void>;
}

/** What somebody wants to be notified of. */
export interface Request {
  /** What is watched for it: of several paths that lead to one folder, the first that was asked for. */
  watched: WatchedFolder;
  /** The folder by the path that was asked for. */
  folder: string;
  listener: FolderListener;
}

/** A folder that is watched, or looked at from time to time. */
export interface OpenFolder extends WatchedFolder {
  /** What was there a moment before; undefined where that is unknown. */
  identity: string | undefined;
  /** Undefined: it cannot be watched. */
  source: FolderEventSource | undefined;
  /** When that is tried again. */
  retryAt: number;
  /** Resolves when the watch has really ended. */
  ended: Promise<void>;
  isStale: boolean;
  /** Who is notified of its events. */
  requests: Request[];
}

/** Those of these paths (absolute, real) that a listener wants to hear of, as it names them. */
export function concerningPaths(
  { watched, folder }: Request,
  paths: readonly string[],
): string[] {
  return paths.filter((path) => isBelow(path, watched.folder))
    .map((path) => folder + path.slice(watched.folder.length));
}
