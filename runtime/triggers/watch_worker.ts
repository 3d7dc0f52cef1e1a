// Deno.watchFs in a worker of its own. The native thread of the watch opens every path that an event names, and opening a named
// pipe without a writer blocks it. From then on no event arrives, and opening or closing any watch blocks for ever, too
// (measured with Deno 2.9.6 on Linux). Each worker has a native thread of its own, so a blocked one blocks nobody else and can
// be left behind. Detecting that it is blocked is left to FolderEvents.
import { join } from "node:path";
import { type FolderEventSource, WatchLost } from "./folder_event_source.ts";
import type { WatchedFolder } from "./watch_cover.ts";
import {
  type WatchCall,
  type WatchFailure,
  type WatchReport,
  watchWorkerUrl,
} from "./watch_worker_code.ts";

interface Watch extends WatchedFolder {
  events: ReadableStreamDefaultController<Deno.FsEvent>;
}

/** A worker and the watches in it. */
export class WatchWorker {
  readonly #worker = new Worker(watchWorkerUrl(), { type: "module" });
  readonly #watches = new Map<number, Watch>();
  readonly #answers = new Map<number, PromiseWithResolvers<void>>();
  #lastId = 0;
  #heard = 0;
  /** How many watches are being opened. */
  #opening = 0;
  #failure: Error | undefined;

  constructor() {
    this.#worker.onmessage = ({ data }: MessageEvent<WatchReport>) => this.#take(data);
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.terminate(new Error(event.message));
    };
  }

  /** What is watched, or is about to be. */
  get folders(): WatchedFolder[] {
    return [...this.#watches.values()].map(({ folder, recursive }) => ({ folder, recursive }));
  }

  /** How many events have arrived: as long as more do, the watch responds. */
  get heard(): number {
    return this.#heard;
  }

  /** Whether it has been terminated, or has failed. */
  get isOver(): boolean {
    return this.#failure !== undefined;
  }

  /** Whether a watch is being opened, which takes long where there are many folders. */
  get isOpening(): boolean {
    return this.#opening > 0;
  }

  /** Watches a folder. Rejects with the error of Deno.watchFs, or with that of `terminate`. */
  async open(folder: string, { recursive }: { recursive: boolean }): Promise<FolderEventSource> {
    const id = ++this.#lastId;
    const events = new ReadableStream<Deno.FsEvent>({
      start: (controller) => void this.#watches.set(id, { folder, recursive, events: controller }),
      // Whoever listened has failed: nothing more goes into a stream that nobody reads.
      cancel: () => {
        this.#watches.delete(id);
        this.#post({ type: "close", id });
      },
    });
    this.#opening++;
    try {
      await this.#ask({ type: "open", id, folder, recursive });
    } catch (error) {
      this.#watches.delete(id);
      throw error;
    } finally {
      this.#opening--;
    }
    return {
      close: () => this.#post({ type: "close", id }),
      [Symbol.asyncIterator]: () => events[Symbol.asyncIterator](),
    };
  }

  /** Resolves when Deno's watcher has answered. Rejects when this worker has ended. */
  async ping(): Promise<void> {
    const [watch] = this.#watches.values();
    // Without a watch there is nothing to miss.
    if (watch === undefined) return;
    const missing = join(watch.folder, `.no-such-file-${crypto.randomUUID()}`);
    await this.#ask({ type: "ping", id: ++this.#lastId, missing });
  }

  /** Closes all watches; resolves when that has taken effect. Rejects when this worker has ended. */
  async finish(): Promise<void> {
    await this.#ask({ type: "finish", id: ++this.#lastId });
  }

  /** Gives up all watches: they and those being opened fail with `failure`. What else was asked may still be answered. */
  abandon(failure: Error): void {
    for (const [id, { events }] of this.#watches) {
      events.error(failure);
      this.#answers.get(id)?.reject(failure);
      this.#answers.delete(id);
    }
    this.#watches.clear();
  }

  /** Ends at once, whatever the worker is doing: its watches and all that waits for it fail with `failure`. */
  terminate(failure: Error): void {
    if (this.#failure !== undefined) return;
    this.#failure = failure;
    this.#worker.terminate();
    this.abandon(failure);
    for (const { reject } of this.#answers.values()) reject(failure);
    this.#answers.clear();
  }

  async #ask(call: WatchCall): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    const answer = Promise.withResolvers<void>();
    this.#answers.set(call.id, answer);
    this.#post(call);
    await answer.promise;
  }

  #post(call: WatchCall): void {
    if (this.#failure === undefined) this.#worker.postMessage(call);
  }

  #take(report: WatchReport): void {
    switch (report.type) {
      case "answer": {
        const answer = this.#answers.get(report.id);
        this.#answers.delete(report.id);
        if (report.failure === undefined) answer?.resolve();
        else answer?.reject(toError(report.failure));
        return;
      }
      case "event":
        this.#heard++;
        return this.#watches.get(report.id)?.events.enqueue(report.event);
      case "end": {
        const watch = this.#watches.get(report.id);
        this.#watches.delete(report.id);
        if (report.failure === undefined) watch?.events.close();
        else watch?.events.error(toError(report.failure));
        return;
      }
      case "tangled":
        return this.terminate(new WatchLost("A watch has followed a link"));
      default:
        report satisfies never;
    }
  }
}

function toError({ name, message }: WatchFailure): Error {
  // The only ones that are told apart.
  if (name === "WatchLost") return new WatchLost(message);
  return name === "NotFound" ? new Deno.errors.NotFound(message) : new Error(message);
}
