// A simulated source of folder events, which a test controls.
import type { FolderEventSource } from "../../../runtime/folders/system_watches.ts";
import type { OpenFolderEvents } from "../../../runtime/folders/system_watches.ts";

interface Source {
  folder: string;
  events: Deno.FsEvent[];
  failure: Error | undefined;
  isClosed: boolean;
  wake: () => void;
}

export class FakeFolderEvents {
  /** The error that opening a watch throws; undefined: the watch opens. */
  failure: Error | undefined;
  readonly #sources = new Set<Source>();

  /** The paths of the folders that are watched at present. */
  get folders(): string[] {
    return [...this.#sources].map(({ folder }) => folder).sort();
  }

  readonly open: OpenFolderEvents = (folder) => {
    if (this.failure !== undefined) throw this.failure;
    const source: Source = {
      folder,
      events: [],
      failure: undefined,
      isClosed: false,
      wake: () => {},
    };
    this.#sources.add(source);
    return {
      close: () => {
        source.isClosed = true;
        this.#sources.delete(source);
        source.wake();
      },
      [Symbol.asyncIterator]: () => this.#read(source),
    } satisfies FolderEventSource;
  };

  /** Emits an event to every watch, as the system does with some events. */
  tell(event: Omit<Deno.FsEvent, "flag"> & { flag?: Deno.FsEventFlag }): void {
    for (const source of this.#sources) {
      source.events.push(event);
      source.wake();
    }
  }

  /** Ends every open watch with an error. */
  failAll(error: Error): void {
    for (const source of this.#sources) {
      source.failure = error;
      source.wake();
    }
    this.#sources.clear();
  }

  async *#read(source: Source): AsyncGenerator<Deno.FsEvent> {
    for (;;) {
      for (let event; (event = source.events.shift()) !== undefined;) yield event;
      if (source.failure !== undefined) throw source.failure;
      if (source.isClosed) return;
      await new Promise<void>((resolve) => source.wake = resolve);
    }
  }
}
