// What runs inside the worker of WatchWorker: Deno.watchFs, as asked by messages.
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
  | { type: "end"; id: number; failure?: WatchFailure };

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

  const toFailure = (error: unknown): WatchFailure =>
    error instanceof Error
      ? { name: error.name, message: error.message }
      : { name: "Error", message: String(error) };

  const listen = async (id: number, watch: Deno.FsWatcher) => {
    let end: WatchReport = { type: "end", id };
    try {
      for await (const { kind, paths, flag } of watch) {
        port.postMessage({ type: "event", id, event: { kind, paths, ...(flag && { flag }) } });
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
      case "open": {
        const watch = Deno.watchFs(call.folder, { recursive: call.recursive });
        watches.set(call.id, watch);
        void listen(call.id, watch);
        break;
      }
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
