// Folder events that keep coming: the watches live in a worker, which is replaced when it stops responding.
//
// On Linux a named pipe stalls Deno's watch (see WatchWorker) when it is created, and whenever somebody has used it. No event
// reports that, and the pipe may be gone again, so the watch is asked from time to time whether it still responds. When it
// does not, the pipes in its folders are opened for a moment, which lets its thread continue and end in order; a thread that
// waits for a pipe that is gone is left behind. A folder with such a pipe is not watched again until the pipe is removed:
// each use would stall the watch, and the watch takes away what the pipe's own users wait for.
import { type Clock, SystemClock } from "../clock.ts";
import { sleepUnlessAborted } from "../bounded_wait.ts";
import { firstOf } from "../first_of.ts";
import { requireFreeDescriptors } from "../free_descriptors.ts";
import type { ServiceLog } from "../service_log/service_log.ts";
import { HOUR_MS } from "../time_units.ts";
import { type FolderEventSource, WatchLost } from "./folder_event_source.ts";
import { findPipes, holdPipes, isPipe, isReported } from "./named_pipes.ts";
import type { WatchedFolder } from "./watch_cover.ts";
import { WatchWorker } from "./watch_worker.ts";

const CHECK_MS = 2_000;
/** A response takes less than a millisecond; after a burst of events, or on a busy machine, up to a second. */
const ANSWER_MS = 5_000;
/**
 * How long a worker may take in whose folders no named pipe is found: more likely it is opening a folder with very many
 * folders in it, on a slow disk. Doubled each time that was in vain, up to the longest.
 */
const FIRST_PATIENCE_MS = 60_000;
const LONGEST_PATIENCE_MS = HOUR_MS;
/** What a worker and its watch open, and more; without these, Deno ends the process. */
const WORKER_DESCRIPTORS = 32;
/** Threads that cannot be freed stay until the process ends. From this number on, no further one is started. */
const MOST_STUCK = 8;

/** What the events need. */
export interface FolderEventsPorts {
  log: ServiceLog;
  /** Measures how long the operating system takes; the machine's own by default, whatever clock the service has. */
  clock?: Clock;
}

/** Where folders are watched. */
export class FolderEvents implements AsyncDisposable {
  readonly #log: ServiceLog;
  readonly #clock: Clock;
  readonly #over = new AbortController();
  #worker: WatchWorker | undefined;
  #checks: Promise<unknown> = Promise.resolve();
  #patienceMs = FIRST_PATIENCE_MS;
  /** Workers that stopped responding and have not ended since. */
  readonly #stuck = new Set<WatchWorker>();
  /** Named pipes that were in a folder when its watch had stalled. */
  readonly #pipes = new Set<string>();

  constructor({ log, clock = new SystemClock() }: FolderEventsPorts) {
    this.#log = log;
    this.#clock = clock;
  }

  /** Watches a folder: see OpenFolderEvents. */
  async open(folder: string, { recursive }: { recursive: boolean }): Promise<FolderEventSource> {
    if (this.#over.signal.aborted) throw new WatchLost("Nothing is watched any more");
    // Only Linux is known to stall.
    if (Deno.build.os !== "linux") return Deno.watchFs(folder, { recursive });
    const pipe = this.#pipeIn({ folder, recursive });
    if (pipe !== undefined) {
      throw new Error(`the named pipe ${pipe} would stall the watch; keep named pipes elsewhere`);
    }
    return await this.#findWorker().open(folder, { recursive });
  }

  /** Ends all watches at once, including those that have stalled. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    const failure = new WatchLost("Nothing is watched any more");
    this.#worker?.terminate(failure);
    for (const worker of this.#stuck) worker.terminate(failure);
    await this.#checks;
  }

  #pipeIn(watched: WatchedFolder): string | undefined {
    for (const pipe of this.#pipes) {
      if (!isPipe(pipe)) this.#pipes.delete(pipe);
      else if (isReported(pipe, watched)) return pipe;
    }
    return undefined;
  }

  #findWorker(): WatchWorker {
    if (this.#worker !== undefined && !this.#worker.isOver) return this.#worker;
    if (this.#stuck.size >= MOST_STUCK) {
      throw new Error("named pipes have stalled too many watches; restart the service");
    }
    requireFreeDescriptors(WORKER_DESCRIPTORS);
    const worker = new WatchWorker();
    this.#worker = worker;
    this.#checks = Promise.all([this.#checks, this.#check(worker)]);
    return worker;
  }

  /** Asks a worker from time to time, until it has to be replaced or nothing is watched any more. */
  async #check(worker: WatchWorker): Promise<void> {
    let heard = 0;
    while (await sleepUnlessAborted(this.#clock, CHECK_MS, this.#over.signal)) {
      if (worker.isOver) return;
      // Events that arrive are a response. In a flood of them a question would wait for its end, and hold them up.
      const isHeard = worker.heard !== heard;
      heard = worker.heard;
      if (isHeard) continue;
      const answer = worker.ping();
      if (await this.#responds(worker, answer)) continue;
      if (!this.#over.signal.aborted) await this.#replace(worker, answer);
      return;
    }
  }

  /** Whether a worker answers in time, or lets events through. */
  async #responds(worker: WatchWorker, answer: Promise<void>): Promise<boolean> {
    const { heard } = worker;
    // In two parts: when the whole process was suspended, the first one is over before anybody could respond.
    const half = ANSWER_MS / 2;
    if (await this.#isDone(answer, half) || await this.#isDone(answer, half)) return true;
    const mayWait = worker.isOpening || !await this.#hasPipe(worker);
    if (mayWait && await this.#isDone(answer, this.#patienceMs - ANSWER_MS)) return true;
    return worker.heard !== heard;
  }

  async #hasPipe(worker: WatchWorker): Promise<boolean> {
    return (await findPipes(worker.folders, this.#over.signal)).length > 0;
  }

  /** Gives up a worker that stopped responding. Its watches fail with WatchLost, so that they are begun anew. */
  async #replace(worker: WatchWorker, answer: Promise<void>): Promise<void> {
    // What is to be watched from now on gets another one.
    this.#worker = undefined;
    this.#stuck.add(worker);
    const pipes = await findPipes(worker.folders, this.#over.signal);
    for (const pipe of pipes) this.#pipes.add(pipe);
    if (pipes.length === 0) {
      this.#log.write(
        "warn",
        "The folder watch stopped responding and is restarted. A named pipe that existed only briefly, or very many folders " +
          "on a slow disk, can cause this",
      );
      this.#patienceMs = Math.min(2 * this.#patienceMs, LONGEST_PATIENCE_MS);
    }
    worker.abandon(new WatchLost("The watch stopped responding"));
    // Held until all watches are closed: closing a pipe is an event, too, and the thread would block on it again.
    using _held = await holdPipes(pipes);
    const ended = this.#end(worker, answer);
    if (pipes.length > 0) await this.#isDone(ended, ANSWER_MS);
  }

  /** Ends a worker in order as soon as it responds, which may be never. */
  async #end(worker: WatchWorker, answer: Promise<void>): Promise<void> {
    try {
      await answer;
      await worker.finish();
    } catch {
      // It has been terminated by now.
    }
    worker.terminate(new WatchLost("The watch stopped responding"));
    this.#stuck.delete(worker);
  }

  /** Whether the work ends in time, well or not: it fails only when the worker has ended. */
  async #isDone(work: Promise<void>, ms: number): Promise<boolean> {
    const ended = work.catch(() => {/* Its watches fail alike. */});
    const { signal } = this.#over;
    return (await firstOf(ended, { within: { clock: this.#clock, ms }, signal })).kind === "done";
  }
}
