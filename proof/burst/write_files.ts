// Writes files at an even pace in a worker, so that the watcher's work in the main thread does not delay the writes.
/// <reference lib="deno.worker" />
import { dirname } from "node:path";

/** The paths of the files to write, and the milliseconds over which the writes are spread. */
export interface WritingOrder {
  paths: string[];
  withinMs: number;
}

self.onmessage = ({ data }: MessageEvent<WritingOrder>) => {
  const { paths, withinMs } = data;
  const nap = new Int32Array(new SharedArrayBuffer(4));
  for (const folder of new Set(paths.map((path) => dirname(path)))) {
    Deno.mkdirSync(folder, { recursive: true });
  }
  const start = performance.now();
  for (let written = 0; written < paths.length;) {
    const due = Math.min(paths.length, (performance.now() - start) / withinMs * paths.length);
    for (; written < due; written++) Deno.writeTextFileSync(paths[written] ?? "", "new");
    Atomics.wait(nap, 0, 0, 5);
  }
  self.postMessage(performance.now() - start);
};
