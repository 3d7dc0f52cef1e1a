// Lets a second thread rule out files of a search. The thread's results contain nothing of a file's content, so the thread
// makes no checks of the files.
import { workerModule } from "../../../base/program_files.ts";
import type { ByteLiterals } from "./literal_filter.ts";

/** The minimum number of files for which starting a thread saves time. */
const MIN_FILES = 1_000;

/** The message that starts the worker. */
export interface SearchJob {
  /** The real paths of the files. */
  paths: readonly string[];
  /** Shared memory with one element for each file: 1 if the file was searched or ruled out. */
  done: Uint8Array;
  literals: ByteLiterals;
}

/** True while a thread is running: others would take the time of the service. */
let isHelping = false;

/** The second thread of one search. */
export class SearchHelper implements Disposable {
  readonly #done: Uint8Array;
  readonly #worker: Worker;

  private constructor(job: SearchJob) {
    isHelping = true;
    this.#done = job.done;
    this.#worker = new Worker(workerModule("search_worker"), { type: "module" });
    // The search needs no help: it continues alone.
    this.#worker.onerror = (event) => event.preventDefault();
    this.#worker.postMessage(job);
  }

  /** Starts the thread. Returns undefined if it would not save time. */
  static start(
    paths: readonly string[],
    literals: ByteLiterals | undefined,
  ): SearchHelper | undefined {
    if (literals === undefined || paths.length < MIN_FILES || isHelping) return undefined;
    const done = new Uint8Array(new SharedArrayBuffer(paths.length));
    return new SearchHelper({ paths, done, literals });
  }

  /** Returns false if the file with this index is ruled out. Otherwise the thread skips the file from now on. */
  isToSearch(index: number): boolean {
    return Atomics.exchange(this.#done, index, 1) === 0;
  }

  [Symbol.dispose](): void {
    this.#worker.terminate();
    isHelping = false;
  }
}
