// The watches of the operating system, one per folder, with workarounds for Deno's watch on Linux.
//
// Decision: a folder with links to folders is watched as a list of its real folders. A recursive watch follows links,
// and the system has one watch per folder, however many paths lead there: the last one takes its events from all
// others, and ends them when it closes (measured with Deno 2.9.6 on Linux). When such a link appears later, all watches
// are reopened.
//
// Decision: a folder with a named pipe in it is not watched. Deno's watch opens the path of an event, a pipe without a
// writer blocks it, and then opening or closing any watch would block the whole service. So both are preceded by a
// probe: the watch must report an event. Without an answer, the new pipes are opened for a moment, which unblocks it.
import { join } from "node:path";
import { sleepUnlessAborted, untilAborted } from "../../base/bounded_wait.ts";
import { SystemClock } from "../../base/clock.ts";
import { firstOf } from "../../base/first_of.ts";

/** The events of one watched folder. */
export interface FolderEventSource extends AsyncIterable<Deno.FsEvent> {
  /** Closes the watch. The iteration ends when that has taken effect. */
  close(): void;
  /** True when new subfolders require reopening the watch. */
  readonly isListed?: boolean;
}

/** Opens the watch of a folder. Throws or rejects where the system cannot watch it. */
export type OpenFolderEvents = (
  folder: string,
  options: { recursive: boolean },
) => FolderEventSource | Promise<FolderEventSource>;

/** The longest wait for an event. It usually comes within milliseconds, on a busy machine within a second. */
const ANSWER_MS = 3_000;
/** The time after closing a watch in which it may still be active. */
const CLOSING_MS = 300;

/** The content of a folder that matters to its watch. */
export interface Survey {
  /** The folder and its real subfolders. */
  folders: string[];
  /** True when links in it lead to folders. */
  hasLinks: boolean;
  pipes: string[];
}

interface Probe {
  watch: Deno.FsWatcher;
  answer: PromiseWithResolvers<void>;
}

/** Walks through a folder. Unreadable parts are left to the watch. */
export async function surveyFolder(
  root: string,
  { recursive }: { recursive: boolean },
): Promise<Survey> {
  const found: Survey = { folders: [root], hasLinks: false, pipes: [] };
  for (const folder of found.folders) {
    const entries = await Array.fromAsync(Deno.readDir(folder)).catch(() => []);
    for (const { name, isFile, isDirectory, isSymlink } of entries) {
      if (isFile) continue;
      const path = join(folder, name);
      if (isDirectory && recursive) found.folders.push(path);
      if (isDirectory) continue;
      const info = await Deno.stat(path).catch(() => undefined);
      if (isSymlink && recursive && info?.isDirectory) found.hasLinks = true;
      if (info?.isFifo) found.pipes.push(path);
    }
  }
  return found;
}

/** Deno's watches. */
export class SystemWatches implements AsyncDisposable {
  /** Measures the system's time, whatever clock the service has. */
  readonly #clock = new SystemClock();
  readonly #over = new AbortController();
  /** The watch of a folder of its own, whose events show that watching works; undefined before the first watch. */
  #probe: Probe | undefined;
  readonly #probeFolder: string;
  /** The open watches. */
  readonly #open = new Map<
    Deno.FsWatcher,
    { folder: string; recursive: boolean; closed: AbortController }
  >();
  /** True when the watch is blocked and its pipe is gone. */
  #isStuck = false;
  #last: Promise<unknown> = Promise.resolve();

  /** `probeFolder` (absolute) is created when it is needed. */
  constructor(probeFolder: string) {
    this.#probeFolder = probeFolder;
  }

  /** Watches a folder: see OpenFolderEvents. */
  async open(folder: string, { recursive }: { recursive: boolean }): Promise<FolderEventSource> {
    if (Deno.build.os !== "linux") return Deno.watchFs(folder, { recursive });
    const { folders, hasLinks, pipes: [pipe] } = await surveyFolder(folder, { recursive });
    if (pipe !== undefined) {
      throw new Error(`the named pipe ${pipe} would stall the watch; keep named pipes elsewhere`);
    }
    return await this.#safely(() => {
      const watch = hasLinks
        ? Deno.watchFs(folders, { recursive: false })
        : Deno.watchFs(folder, { recursive });
      const closed = new AbortController();
      this.#open.set(watch, { folder, recursive, closed });
      return {
        close: () => {
          closed.abort();
          void this.#safely(() => this.#end(watch)).catch(
            () => {/* Stuck: it stays until the process ends. */},
          );
        },
        isListed: hasLinks,
        [Symbol.asyncIterator]: () => eventsUntil(watch, closed.signal),
      };
    });
  }

  /** Checks that events still arrive, and unblocks the watch where they do not. */
  async check(): Promise<void> {
    if (this.#probe === undefined) return;
    await this.#safely(() => {}).catch(
      () => {/* Stuck: all watches have ended. Reopening them reports that. */},
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Closing a blocked watch would block the whole process.
    await this.check();
    this.#over.abort();
    await this.#last;
    for (const watch of [...this.#open.keys()]) this.#end(watch);
    if (this.#probe !== undefined && !this.#isStuck) this.#probe.watch.close();
  }

  /** Changes the watches while they respond, one change after the other. Otherwise the change would block. */
  #safely<T>(work: () => T): Promise<T> {
    const result = this.#last.then(async () => {
      this.#probe ??= this.#openProbe();
      if (!this.#isStuck && !await this.#responds()) await this.#free();
      if (this.#isStuck) {
        throw new Error("a named pipe has stalled the watch, and is gone; restart the service");
      }
      return work();
    });
    this.#last = result.catch(() => undefined);
    return result;
  }

  #openProbe(): Probe {
    Deno.mkdirSync(this.#probeFolder, { recursive: true });
    const watch = Deno.watchFs(this.#probeFolder, { recursive: false });
    const probe = { watch, answer: Promise.withResolvers<void>() };
    void (async () => {
      for await (const _event of watch) probe.answer.resolve();
    })();
    return probe;
  }

  /** Returns true when the watch reports a probe event. */
  async #responds(): Promise<boolean> {
    const probe = this.#probe;
    if (probe === undefined || this.#over.signal.aborted) return true;
    probe.answer = Promise.withResolvers<void>();
    const seconds = this.#clock.now() / 1_000;
    await Deno.utime(this.#probeFolder, seconds, seconds);
    const within = { clock: this.#clock, ms: ANSWER_MS };
    return (await firstOf(probe.answer.promise, { within, signal: this.#over.signal })).kind !==
      "late";
  }

  /** Unblocks the watch. All pipes stay open while their watches are closed, because closing a pipe is an event, too. */
  async #free(): Promise<void> {
    const held: Deno.FsFile[] = [];
    const ended: Deno.FsWatcher[] = [];
    for (const [watch, { folder, recursive }] of this.#open) {
      const { pipes } = await surveyFolder(folder, { recursive });
      // On Linux opening for both never blocks. A pipe that is gone or may not be opened is probably not the cause.
      const opened = await Promise.all(
        pipes.map((path) => Deno.open(path, { read: true, write: true }).catch(() => undefined)),
      );
      held.push(...opened.filter((file) => file !== undefined));
      if (pipes.length > 0) ended.push(watch);
    }
    this.#isStuck = !await this.#responds();
    for (const watch of this.#isStuck ? this.#open.keys() : ended) this.#end(watch);
    await sleepUnlessAborted(this.#clock, CLOSING_MS, this.#over.signal);
    for (const file of held) file.close();
  }

  #end(watch: Deno.FsWatcher): void {
    this.#open.get(watch)?.closed.abort();
    if (!this.#open.delete(watch) || this.#isStuck) return;
    try {
      watch.close();
    } catch (error) {
      // The watch ended by itself.
      if (!(error instanceof Deno.errors.BadResource)) throw error;
    }
  }
}

async function* eventsUntil(
  watch: Deno.FsWatcher,
  signal: AbortSignal,
): AsyncGenerator<Deno.FsEvent> {
  const events = watch[Symbol.asyncIterator]();
  while (!signal.aborted) {
    const next = await untilAborted(events.next(), signal).catch((error) => {
      if (!signal.aborted) throw error;
      return undefined;
    });
    if (next === undefined || next.done) return;
    yield next.value;
  }
}

/** Returns why a folder cannot be watched, and the remedy. */
export function describeWatchFailure(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  if (!/watch limit|no space left|too many open files|EMFILE|ENOSPC/i.test(reason)) {
    return reason.replace(/\.?$/, ".");
  }
  const files = "the limit of open files (ulimit -n)";
  if (Deno.build.os !== "linux") return `the system has no file watches left; raise ${files}.`;
  const watches =
    "sudo sysctl fs.inotify.max_user_watches=524288 fs.inotify.max_user_instances=1024";
  // The same error for too many watchers of the user and too many files of the process.
  const orFiles = /too many open files|EMFILE/i.test(reason) ? `, or raise ${files}` : "";
  return `the system has no file watches left; raise the limit with: ${watches}${orFiles}.`;
}
