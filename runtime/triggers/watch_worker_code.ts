// What runs inside the worker of WatchWorker: Deno.watchFs, as asked by messages.
//
// Decision: a folder in which links lead to folders is not watched recursively, but as a list of its real folders. A recursive
// watch follows links, and the system knows one watch for a folder, however many paths lead there: the last one takes its
// events away from all others, and ends them when it goes (measured with Deno 2.9.6 on Linux). What comes later with links in
// it is followed as well: then all watches are begun anew.
//
// Decision: the worker is made from the text of this function, not from a file, because a module that only a worker loads
// has to be listed wherever the program is packaged. So the function may use nothing outside of itself.

/** A call: `open` and `close` name the watch by `id`; `ping` and `finish` are answered under their own. */
export type WatchCall =
  | { type: "open"; id: number; folder: string; recursive: boolean }
  | { type: "close"; id: number }
  /** Answered when Deno's watcher has answered; `missing` is a path at which there is nothing. */
  | { type: "ping"; id: number; missing: string }
  /** Answered when all watches are closed. */
  | { type: "finish"; id: number };

/** An error in transit: errors of Deno's classes would lose their class. */
export interface WatchFailure {
  name: string;
  message: string;
}

/** What the worker reports; `end` is the last report of a watch. */
export type WatchReport =
  | { type: "answer"; id: number; failure?: WatchFailure }
  | { type: "event"; id: number; event: Deno.FsEvent }
  | { type: "end"; id: number; failure?: WatchFailure }
  /** A watch has followed a link: events of any watch may be missing from now on. */
  | { type: "tangled" };

/** The address of the worker's module. */
export function watchWorkerUrl(): string {
  return `data:application/javascript,${encodeURIComponent(`(${serveWatches})();`)}`;
}

function serveWatches(): void {
  const port = globalThis as unknown as {
    onmessage: (message: { data: WatchCall }) => void;
    postMessage(report: WatchReport): void;
  };
  const watches = new Map<number, Deno.FsWatcher>();
  /** New folders are looked at when whoever made them has had the time to fill them. */
  const SETTLE_MS = 500;
  /** A folder whose walk takes long is not walked all the time. */
  const REST_FACTOR = 20;
  /** Folders may go between a walk and the watch. */
  const ATTEMPTS = 5;

  const toFailure = (error: unknown): WatchFailure =>
    error instanceof Error
      ? { name: error.name, message: error.message }
      : { name: "Error", message: String(error) };

  const isFolder = (path: string, stat: (path: string) => Deno.FileInfo) => {
    try {
      return stat(path).isDirectory;
    } catch {
      return false; // Gone, or unreachable.
    }
  };

  /** The real folders in a folder, itself included, and whether links lead to others. What cannot be read is left to the watch. */
  const walk = (root: string) => {
    const folders = [root];
    let hasLinks = false;
    for (const folder of folders) {
      try {
        for (const { name, isDirectory, isSymlink } of Deno.readDirSync(folder)) {
          const path = folder.endsWith("/") ? folder + name : `${folder}/${name}`;
          if (isDirectory) folders.push(path);
          if (isSymlink && !hasLinks) hasLinks = isFolder(path, Deno.statSync);
        }
      } catch {
        // The watch says why.
      }
    }
    return { folders, hasLinks };
  };

  const open = ({ id, folder, recursive }: { id: number; folder: string; recursive: boolean }) => {
    for (let attempt = 1;; attempt++) {
      const start = performance.now();
      const { folders, hasLinks } = recursive ? walk(folder) : { folders: [], hasLinks: false };
      const walkMs = performance.now() - start;
      try {
        const watch = hasLinks
          ? Deno.watchFs(folders, { recursive: false })
          : Deno.watchFs(folder, { recursive });
        watches.set(id, watch);
        const restMs = Math.max(SETTLE_MS, REST_FACTOR * walkMs);
        const found = hasLinks
          ? () => lose(id)
          : (fresh: string[]) => fresh.some((one) => walk(one).hasLinks) && tangled();
        void listen(id, watch, recursive ? noteFolders({ id, folder, restMs, found }) : () => {});
        return;
      } catch (error) {
        const isGone = hasLinks && error instanceof Deno.errors.NotFound;
        if (!isGone || attempt === ATTEMPTS) throw error;
      }
    }
  };

  /** Notes the new folders that events name, and tells of them a little later. */
  const noteFolders = ({ id, folder, restMs, found }: {
    id: number;
    folder: string;
    restMs: number;
    found: (fresh: string[]) => void;
  }) => {
    let fresh: string[] = [];
    const settled = () => {
      const folders = fresh;
      fresh = [];
      if (watches.has(id)) found(folders);
    };
    return ({ kind, paths, flag }: Deno.FsEvent) => {
      const isNew = kind === "create" || kind === "rename";
      const folders = flag === "rescan"
        ? [folder]
        : isNew
        ? paths.filter((path) => path !== folder && isFolder(path, Deno.lstatSync))
        : [];
      if (folders.length === 0) return;
      if (fresh.length === 0) setTimeout(settled, restMs);
      fresh.push(...folders);
    };
  };

  const tangled = () => port.postMessage({ type: "tangled" });

  /** Ends a watch that does not hear of new folders, so that it is begun anew. */
  const lose = (id: number) => {
    const watch = watches.get(id);
    watches.delete(id);
    lost.add(id);
    close(watch);
  };
  const lost = new Set<number>();

  const listen = async (
    id: number,
    watch: Deno.FsWatcher,
    note: (event: Deno.FsEvent) => void,
  ) => {
    let end: WatchReport = { type: "end", id };
    try {
      for await (const { kind, paths, flag } of watch) {
        const event = { kind, paths, ...(flag && { flag }) };
        port.postMessage({ type: "event", id, event });
        note(event);
      }
      if (lost.delete(id)) {
        end = { type: "end", id, failure: { name: "WatchLost", message: "It has new folders" } };
      }
    } catch (error) {
      end = { type: "end", id, failure: toFailure(error) };
    }
    watches.delete(id);
    port.postMessage(end);
  };

  const close = (watch: Deno.FsWatcher | undefined) => {
    try {
      watch?.close();
    } catch (error) {
      // It has just ended by itself.
      if (!(error instanceof Deno.errors.BadResource)) throw error;
    }
  };

  const serve = (call: WatchCall) => {
    switch (call.type) {
      case "open":
        open(call);
        break;
      case "close":
        return close(watches.get(call.id));
      case "ping":
        try {
          close(Deno.watchFs(call.missing));
        } catch {
          // Expected, because there is nothing to watch: the refusal shows that the watcher responds.
        }
        break;
      case "finish":
        watches.forEach(close);
        break;
    }
    port.postMessage({ type: "answer", id: call.id });
  };

  port.onmessage = ({ data }) => {
    try {
      serve(data);
    } catch (error) {
      port.postMessage({ type: "answer", id: data.id, failure: toFailure(error) });
    }
  };
}
