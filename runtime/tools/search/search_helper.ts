// Lets a second thread rule out files of a search. The thread's results contain nothing of a file's content, so the thread
// makes no checks of the files.
import { workerModule } from "../../../base/program_files.ts";
import type { ByteLiterals } from "./literal_filter.ts";

/** The minimum number of folder entries for which starting a thread saves time. */
const MIN_ENTRIES = 1_000;

/** The message that starts the work of the thread. */
export interface SearchJob {
  /** The real paths of the files. */
  paths: readonly string[];
  /** Shared memory with one element for each file: 1 if the file was searched or ruled out. */
  done: Uint8Array;
  literals: ByteLiterals;
}

/** True while a thread is running. A second one would take the time of the service. */
let isHelping = false;

/** The second thread of one search. It exists only if the search is large, and the pattern requires literals. */
export class SearchHelper implements Disposable {
  readonly #literals: ByteLiterals | undefined;
  #entries = 0;
  #worker: Worker | undefined;
  #done: Uint8Array | undefined;

  constructor(literals: ByteLiterals | undefined) {
    this.#literals = literals;
  }

  /** Counts entries that the walk has found. Starts the thread when they are many, so that it is ready after the walk. */
  count(entries: number): void {
    this.#entries += entries;
    if (this.#literals === undefined || this.#entries < MIN_ENTRIES || isHelping) return;
    isHelping = true;
    this.#worker = new Worker(workerModule("search_worker"), { type: "module" });
    // The search needs no help: it continues alone.
    this.#worker.onerror = (event) => event.preventDefault();
  }

  /** Lets the thread rule out files. */
  begin(paths: readonly string[]): void {
    if (this.#worker === undefined || this.#literals === undefined) return;
    this.#done = new Uint8Array(new SharedArrayBuffer(paths.length));
    const job: SearchJob = { paths, done: this.#done, literals: this.#literals };
    this.#worker.postMessage(job);
  }

  /** Returns false if the file with this index is ruled out. Otherwise the thread skips the file from now on. */
  isToSearch(index: number): boolean {
    return this.#done === undefined || Atomics.exchange(this.#done, index, 1) === 0;
  }

  [Symbol.dispose](): void {
    if (this.#worker === undefined) return;
    this.#worker.terminate();
    isHelping = false;
  }
}
