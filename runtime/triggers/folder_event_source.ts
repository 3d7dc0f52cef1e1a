// The port through which a folder is watched: Deno.watchFs itself, a worker that calls it, or a test.

/** The events of one watched folder. */
export interface FolderEventSource extends AsyncIterable<Deno.FsEvent> {
  /** Ends the watch; the iteration ends when that has taken effect. */
  close(): void;
}

/** Begins to watch a folder. Throws, or rejects, where the system cannot; rejects with WatchLost as below. */
export type OpenFolderEvents = (
  folder: string,
  options: { recursive: boolean },
) => FolderEventSource | Promise<FolderEventSource>;

/** What watched the folder has ended. That says nothing about the folder itself, which can be watched anew at once. */
export class WatchLost extends Error {
  override readonly name = "WatchLost";
}
